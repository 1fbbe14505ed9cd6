// Short news after an act, for 10 seconds, with one thing to do about it such as Undo.

import { Toast } from '@base-ui/react/toast'
import { t } from '../words.ts'
import { cx } from './cx.ts'
import { Icon } from './icon.tsx'
import styles from './toast.module.css'

export type ToastTone = 'plain' | 'ok' | 'warn' | 'bad'

export interface ToastOptions {
  readonly action?: { readonly label: string; readonly onAction: () => void } | undefined
  readonly tone?: ToastTone | undefined
}

interface ToastData {
  readonly action: ToastOptions['action']
  readonly tone: ToastTone
}

const manager = Toast.createToastManager<ToastData>()
const shownFor = 10_000

/** Shows the message; calling what it returns takes it away. */
export function toast(message: string, { action, tone = 'plain' }: ToastOptions = {}): () => void {
  const id = manager.add({
    title: message,
    data: { action, tone },
    timeout: shownFor,
    priority: tone === 'bad' ? 'high' : 'low',
  })
  return () => manager.close(id)
}

const icons = { plain: 'info', ok: 'accept', warn: 'warning', bad: 'error' } as const

/** Once, in the shell. */
export function Toasts() {
  return (
    <Toast.Provider toastManager={manager} limit={4}>
      <Toast.Portal>
        <Toast.Viewport className={styles.viewport} aria-label={t('News')} data-news="">
          <List />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  )
}

function List() {
  const { toasts, close } = Toast.useToastManager<ToastData>()
  return toasts.map((one) => {
    const tone = one.data?.tone ?? 'plain'
    const action = one.data?.action
    return (
      <Toast.Root key={one.id} toast={one} className={styles.toast} swipeDirection={['right', 'down']}>
        <span className={cx(styles.mark, styles[tone])}>
          <Icon name={icons[tone]} />
        </span>
        <Toast.Title className={styles.text} render={<p />} />
        {action === undefined ? null : (
          <button
            type="button"
            className={styles.action}
            onClick={() => {
              close(one.id)
              action.onAction()
            }}
          >
            {action.label}
          </button>
        )}
        <Toast.Close className={styles.close} aria-label={t('Close')}>
          <Icon name="close" size={14} />
        </Toast.Close>
      </Toast.Root>
    )
  })
}
