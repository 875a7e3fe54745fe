export { createGymApp, type GymApp, type GymAppOptions } from './app.js';
export type { Job, JobStatus } from './jobs.js';
export { type GymServer, type ServeOptions, serveGym } from './serve.js';
