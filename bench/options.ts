// What the command line may ask of a bench, beside its name.

export const flags = {
  quick: '--quick',
  installPeers: '--install-peers',
  markdown: '--markdown',
  /** With a revision, and by a program of its own: compare/main.ts. */
  compare: '--compare',
} as const

export interface BenchOptions {
  /** Fewer rounds and smaller peers: a look, not a measurement. */
  readonly isQuick: boolean
  /** Fetch the other firewalls the bench compares with. */
  readonly installsPeers: boolean
}

export const readOptions = (args: readonly string[]): BenchOptions => ({
  isQuick: args.includes(flags.quick),
  installsPeers: args.includes(flags.installPeers),
})
