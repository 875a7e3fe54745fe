export { createGymApp, type GymApp, type GymAppOptions } from './app.js';
export { type GymServer, type ServeOptions, serveGym } from './serve.js';
