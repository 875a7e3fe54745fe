export { createSchedule, learningRate, type Schedule, type ScheduleConfig, type ScheduleKind } from './schedule.js';
export { countTrained, crossEntropy, sftBatch } from './sft.js';
