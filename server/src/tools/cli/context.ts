// What a command gets from the process it runs in. Tests hand in their own.

import type { Keyboard } from './keyboard.ts'
import type { Terminal } from './output/terminal.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export interface Context {
  readonly env: Environment
  readonly workingDir: string
  readonly terminal: Terminal
  readonly keyboard: Keyboard
  /** The gateway that --address of this command names. */
  readonly address?: string | undefined
}
