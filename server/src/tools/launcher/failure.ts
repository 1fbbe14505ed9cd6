// A reason not to start, in one sentence for the person at the terminal, with the exit code that goes with it.

/** Exit code 2 is a bad setting, 1 everything else; the message is all that is shown. */
export class LaunchFailure extends Error {
  readonly exitCode: 1 | 2

  constructor(message: string, exitCode: 1 | 2 = 1, options?: ErrorOptions) {
    super(message, options)
    this.exitCode = exitCode
  }
}

/** The short code of a system error (`EADDRINUSE`), or an empty string. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
}
