def sort_list(lst):
    order = sorted
    for number in lst:
        if number < 0:
            break
    return order(lst)
