// Where a command writes: answers to standard output, remarks and errors to standard error. Knows the width of a
// terminal and whether colours are welcome.

export interface Terminal {
  /** Whether answers are read by a person; piped answers are never cut or coloured. */
  readonly isTerminal: boolean
  /** Null when answers are piped. */
  readonly columns: number | null
  readonly hasColour: boolean
  /** Answers. Text comes escaped, with its line ends; bytes are as they came and go only into pipes. */
  out(answer: string | Buffer): void
  /** Remarks and errors. */
  note(text: string): void
}

export type Colour = 'red' | 'green' | 'yellow' | 'dim'

const codes: Readonly<Record<Colour, number>> = { red: 31, green: 32, yellow: 33, dim: 2 }

export const paint = (terminal: Pick<Terminal, 'hasColour'>, colour: Colour | undefined, text: string): string =>
  terminal.hasColour && colour !== undefined ? `\u001b[${codes[colour]}m${text}\u001b[0m` : text

type Environment = Readonly<Record<string, string | undefined>>

interface Stream {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string | Buffer): unknown
}

const defaultColumns = 80

export function createTerminal(stdout: Stream, stderr: Stream, env: Environment): Terminal {
  const isTerminal = stdout.isTTY === true
  return {
    isTerminal,
    columns: isTerminal ? (stdout.columns ?? defaultColumns) : null,
    // https://no-color.org: any value but the empty one switches colours off.
    hasColour: isTerminal && !env.NO_COLOR && env.TERM !== 'dumb',
    out: (answer) => void stdout.write(answer),
    note: (text) => void stderr.write(text),
  }
}
