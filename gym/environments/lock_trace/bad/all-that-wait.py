def find_deadlock(programs, schedule):
    done, awaited, holder, queues = [0] * len(programs), {}, {}, {}
    for step, thread in enumerate(schedule):
        if thread in awaited or done[thread] == len(programs[thread]):
            continue
        operation = programs[thread][done[thread]]
        lock = operation[1:]
        if operation[0] == "-":
            done[thread] += 1
            holder.pop(lock)
            if queues.get(lock):
                first = queues[lock].pop(0)
                holder[lock] = first
                del awaited[first]
                done[first] += 1
        elif lock not in holder:
            holder[lock] = thread
            done[thread] += 1
        else:
            awaited[thread] = lock
            queues.setdefault(lock, []).append(thread)
            at, seen = thread, set()
            while at in awaited and at not in seen:
                seen.add(at)
                at = holder[awaited[at]]
            if at in seen:
                return step, sorted(awaited)
    return -1, [i for i, program in enumerate(programs) if done[i] == len(program)]
