def find_deadlock(programs, schedule):
    done, holder = [0] * len(programs), {}
    waiting = {}
    for step, thread in enumerate(schedule):
        if done[thread] == len(programs[thread]):
            continue
        operation = programs[thread][done[thread]]
        lock = operation[1:]
        if operation[0] == "-":
            done[thread] += 1
            holder.pop(lock, None)
        elif lock not in holder:
            holder[lock] = thread
            done[thread] += 1
            waiting.pop(thread, None)
        else:
            waiting[thread] = lock
            circle = [thread]
            while circle[-1] in waiting and waiting[circle[-1]] in holder:
                following = holder[waiting[circle[-1]]]
                if following == thread:
                    return step, sorted(circle)
                if following in circle:
                    break
                circle.append(following)
    return -1, [i for i, program in enumerate(programs) if done[i] == len(program)]
