// What the readers of log files tell the event loop.

export type FromFiles =
  /** They begin, and know nothing yet of what packets do not say. */
  { readonly is: 'begun' } | { readonly is: 'fault'; readonly text: string }
