// Which steps of an upgrade are past, which one is done now and which follow. Pure.

const order = ['checking', 'keeping', 'installing', 'starting'] as const

export interface Step {
  readonly name: (typeof order)[number] | 'returning'
  readonly state: 'past' | 'now' | 'next'
}

interface Shown {
  readonly state: 'running' | 'done' | 'returned' | 'failed'
  readonly step: Step['name']
}

/** Where it returns, it is not known which step failed: only what holds for certain is shown before it. */
export function stepsOf({ state, step }: Shown): readonly Step[] {
  if (state === 'done') return order.map((name) => ({ name, state: 'past' }))
  if (step === 'returning')
    return [
      { name: 'checking', state: 'past' },
      { name: 'keeping', state: 'past' },
      { name: 'returning', state: 'now' },
    ]
  const at = order.indexOf(step)
  return order.map((name, index) => ({ name, state: index < at ? 'past' : index === at ? 'now' : 'next' }))
}
