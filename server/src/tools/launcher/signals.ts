// Requests to stop, by any signal.

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Calls back on each signal that asks to stop; the returned function ends that. */
export function onStopSignal(stop: () => void): () => void {
  for (const signal of stopSignals) process.on(signal, stop)
  return () => {
    for (const signal of stopSignals) process.off(signal, stop)
  }
}
