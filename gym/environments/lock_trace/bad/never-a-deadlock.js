function findDeadlock(programs, schedule) {
  const left = programs.map((program) => program.length);
  for (const thread of schedule) left[thread] -= 1;
  return [-1, [...left.keys()].filter((thread) => left[thread] <= 0)];
}
