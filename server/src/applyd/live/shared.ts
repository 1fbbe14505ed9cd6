// Readings that a program makes, which any number of requests may ask for at once.

/** At most one runs. Who asks in the meantime gets the next one, which began after the question. */
export function shareRunning<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null
  let next: Promise<T> | null = null
  const begin = (): Promise<T> => {
    const begun = work().finally(() => {
      if (running === begun) running = null
    })
    running = begun
    return begun
  }
  return () => {
    if (running === null) return begin()
    next ??= running
      .then(
        () => {},
        () => {},
      )
      .then(() => {
        next = null
        return begin()
      })
    return next
  }
}
