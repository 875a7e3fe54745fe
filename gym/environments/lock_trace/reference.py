from collections import deque


def find_deadlock(programs, schedule):
    done = [0] * len(programs)
    awaited = [None] * len(programs)
    holder = {}
    queues = {}
    for step, thread in enumerate(schedule):
        if awaited[thread] is not None or done[thread] == len(programs[thread]):
            continue
        kind, lock = programs[thread][done[thread]][0], programs[thread][done[thread]][1:]
        if kind == "-":
            done[thread] += 1
            if queues.get(lock):
                following = queues[lock].popleft()
                holder[lock] = following
                awaited[following] = None
                done[following] += 1
            else:
                del holder[lock]
        elif lock not in holder:
            holder[lock] = thread
            done[thread] += 1
        else:
            awaited[thread] = lock
            queues.setdefault(lock, deque()).append(thread)
            # only a thread that begins to wait closes a circle
            circle = [thread]
            while awaited[circle[-1]] is not None:
                following = holder[awaited[circle[-1]]]
                if following == thread:
                    return step, sorted(circle)
                circle.append(following)
    return -1, [thread for thread, program in enumerate(programs) if done[thread] == len(program)]
