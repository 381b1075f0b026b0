const { refusingModule } = require('tgp:refusing');

const started = Date.now();

module.exports = {
  ...refusingModule('perf_hooks', {
    PerformanceObserver: true,
    monitorEventLoopDelay: true,
    createHistogram: true,
  }),
  constants: {},
  performance: globalThis.performance ?? { timeOrigin: started, now: () => Date.now() - started },
};
