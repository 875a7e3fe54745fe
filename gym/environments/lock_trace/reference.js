export function findDeadlock(programs, schedule) {
  const threads = programs.map((program) => ({ program, next: 0, awaits: null }));
  const locks = new Map();
  const lockNamed = (name) => {
    if (!locks.has(name)) locks.set(name, { holder: null, queue: [] });
    return locks.get(name);
  };
  for (const [step, number] of schedule.entries()) {
    const thread = threads[number];
    const operation = thread.program[thread.next];
    if (thread.awaits || operation === undefined) continue;
    const lock = lockNamed(operation.slice(1));
    if (operation[0] === '-') {
      thread.next += 1;
      lock.holder = lock.queue.shift() ?? null;
      if (lock.holder) {
        lock.holder.awaits = null;
        lock.holder.next += 1;
      }
    } else if (lock.holder === null) {
      lock.holder = thread;
      thread.next += 1;
    } else {
      thread.awaits = lock;
      lock.queue.push(thread);
      const circle = [];
      let at = thread;
      do {
        circle.push(threads.indexOf(at));
        at = at.awaits?.holder;
      } while (at && at !== thread);
      if (at === thread) return [step, circle.sort((a, b) => a - b)];
    }
  }
  return [-1, [...threads.keys()].filter((i) => threads[i].next === programs[i].length)];
}
