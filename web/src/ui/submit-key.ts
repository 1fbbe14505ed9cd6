// Ctrl Enter belongs to the page, which reviews or applies with it: a switch that has the focus must not take it for a press.

interface Pressed {
  readonly key: string
  readonly ctrlKey: boolean
  readonly metaKey: boolean
  readonly preventBaseUIHandler: () => void
}

export function leaveSubmit(event: Pressed): void {
  if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) event.preventBaseUIHandler()
}
