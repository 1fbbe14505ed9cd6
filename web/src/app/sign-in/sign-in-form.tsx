// Login and password with everything that a sign-in can be refused with. Used by the sign-in page and over a page.

import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Failure } from '../../api/failure.ts'
import { enter } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { TextInput } from '../../ui/text-input.tsx'
import { heard, t } from '../../words.ts'
import { useSecondsLeft } from '../bars.tsx'
import styles from './sign-in.module.css'
import { waitWords } from './wait-words.ts'

interface Props {
  readonly login?: string
  /** The login cannot be another one: the password of the same administrator is asked for. */
  readonly isLoginFixed?: boolean
  readonly action: string
  readonly onEntered?: () => void
}

export function SignInForm({ login: given = '', isLoginFixed = false, action, onEntered }: Props): ReactNode {
  const [login, setLogin] = useState(given)
  const [password, setPassword] = useState('')
  const [isShown, setShown] = useState(false)
  const [isBusy, setBusy] = useState(false)
  const [failure, setFailure] = useState<Failure | null>(null)
  const [retryAt, setRetryAt] = useState(0)
  const passwordInput = useRef<HTMLInputElement>(null)
  const left = useSecondsLeft(retryAt, retryAt > 0)
  const isBlocked = failure?.code === 'too_many_requests' && left > 0
  // The refusal that told how long to wait has had its time.
  useEffect(() => {
    if (retryAt > 0 && left === 0) {
      setRetryAt(0)
      setFailure(null)
    }
  }, [retryAt, left])

  const submit = async () => {
    if (isBusy || isBlocked || login === '' || password === '') return
    setBusy(true)
    setFailure(null)
    try {
      await enter(login, password)
      setPassword('')
      onEntered?.()
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      setFailure(error)
      setRetryAt(error.retryAfter === null ? 0 : Date.now() + error.retryAfter * 1000)
      setPassword('')
      passwordInput.current?.focus()
    } finally {
      setBusy(false)
    }
  }

  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <Field label={t('Login')}>
        {({ id }) => (
          <TextInput
            id={id}
            value={login}
            onChange={setLogin}
            name="login"
            autoComplete="username"
            isDisabled={isLoginFixed}
            autoFocus={given === ''}
            maxLength={320}
          />
        )}
      </Field>
      <Field label={t('Password')}>
        {({ id }) => (
          <div className={styles.password}>
            <TextInput
              id={id}
              ref={passwordInput}
              type={isShown ? 'text' : 'password'}
              value={password}
              onChange={setPassword}
              name="password"
              autoComplete="current-password"
              autoFocus={given !== ''}
              maxLength={256}
            />
            <IconButton
              icon={isShown ? 'hide' : 'show'}
              label={isShown ? t('Hide the password') : t('Show the password')}
              onClick={() => setShown(!isShown)}
            />
          </div>
        )}
      </Field>
      <div className={styles.submit}>
        <Button kind="primary" type="submit" isBusy={isBusy} isDisabled={isBlocked}>
          {action}
        </Button>
      </div>
      <div role="alert">{failure ? <Refusal failure={failure} secondsLeft={left} /> : null}</div>
    </form>
  )
}

function Refusal({ failure, secondsLeft }: { readonly failure: Failure; readonly secondsLeft: number }): ReactNode {
  const { code, message, requestId } = failure
  return (
    <div className={styles.refusal}>
      <Icon name="error" />
      <div>
        {code === 'too_many_requests' && secondsLeft > 0 ? (
          <>
            <p>{t('Too many failures from this address.')}</p>
            <p>
              {t('Try again in {wait}, or on the machine:', { wait: waitWords(secondsLeft) })}{' '}
              <code className={styles.command}>gw admin reset</code>
            </p>
          </>
        ) : (
          <p>
            {code === 'unauthenticated' ? t('The login or the password is wrong.') : heard(message)}
            {secondsLeft > 0 ? ` ${t('Try again in {wait}.', { wait: waitWords(secondsLeft) })}` : ''}
          </p>
        )}
        {code === 'internal' && requestId !== '' ? (
          <p className="muted">{t('Request {id}', { id: requestId })}</p>
        ) : null}
      </div>
    </div>
  )
}
