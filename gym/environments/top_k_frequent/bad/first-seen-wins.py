from collections import Counter


def top_k_frequent(nums, k):
    return [number for number, _ in Counter(nums).most_common(k)]
