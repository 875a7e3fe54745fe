function bestSchedule(jobs) {
  const taken = [];
  let total = 0;
  for (const job of [...jobs].sort((a, b) => b[2] - a[2])) {
    if (taken.every((other) => job[0] >= other[1] || other[0] >= job[1])) {
      taken.push(job);
      total += job[2];
    }
  }
  return total;
}
