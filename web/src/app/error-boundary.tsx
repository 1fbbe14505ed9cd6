// A part that broke is shown as what it is, with what still works; the rest of the console goes on.

import { Component, type ErrorInfo, type ReactNode } from 'react'
import { ProblemBox } from '../ui/problem-box.tsx'
import { t } from '../words.ts'

interface Props {
  readonly children: ReactNode
  readonly onRetry?: () => void
}

interface State {
  readonly error: Error | null
}

export class ErrorBoundary extends Component<Props, State> {
  override state: State = { error: null }

  static getDerivedStateFromError(error: unknown): State {
    return { error: error instanceof Error ? error : new Error(String(error)) }
  }

  override componentDidCatch(_error: Error, _info: ErrorInfo): void {}

  readonly #retry = (): void => {
    this.props.onRetry?.()
    this.setState({ error: null })
  }

  override render(): ReactNode {
    const { error } = this.state
    if (!error) return this.props.children
    return (
      <ProblemBox
        failure={{ code: 'internal', message: t('This page broke: {reason}', { reason: error.message }) }}
        still={t('The gateway is not affected, and all other pages still work.')}
        onRetry={this.#retry}
      />
    )
  }
}
