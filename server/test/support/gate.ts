// A moment that a test waits for or brings about: opened once, seen by all who wait.

export interface Gate {
  readonly opened: Promise<void>
  open(): void
}

export function gate(): Gate {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { opened: promise, open: resolve }
}
