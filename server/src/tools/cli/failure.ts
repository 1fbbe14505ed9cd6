// A command that could not do what it was asked: one sentence, lines that explain it, and the exit code.

export const exitCodes = { done: 0, refused: 1, usage: 2, notSignedIn: 3, noConnection: 4 } as const
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

export class CommandFailure extends Error {
  readonly exitCode: ExitCode
  readonly lines: readonly string[]

  constructor(exitCode: ExitCode, message: string, lines: readonly string[] = []) {
    super(message)
    this.name = 'CommandFailure'
    this.exitCode = exitCode
    this.lines = lines
  }
}

export const refused = (message: string, lines: readonly string[] = []): CommandFailure =>
  new CommandFailure(exitCodes.refused, message, lines)

export const badUsage = (message: string, lines: readonly string[] = []): CommandFailure =>
  new CommandFailure(exitCodes.usage, message, lines)

/** `options` name the gateway where it must be named. */
export const notSignedIn = (message: string, options = '', lines: readonly string[] = []): CommandFailure =>
  new CommandFailure(exitCodes.notSignedIn, message, [`Sign in with: gw login${options}`, ...lines])

export const noConnection = (message: string, lines: readonly string[] = []): CommandFailure =>
  new CommandFailure(exitCodes.noConnection, message, lines)

/** The short code of a system error (`ECONNREFUSED`), or an empty string. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
