// Generated from the sources in js/ by the build.
export * from './dist/declarations/index.js';
