// The first password must be changed before anything else: the page that does it, and then signs in with the new one.

import { localAdministrators } from '@gateway/server/contract/administrators'
import { type ReactNode, useState } from 'react'
import { call } from '../../api/call.ts'
import { Failure } from '../../api/failure.ts'
import { enter, sessionStore } from '../../api/session.ts'
import { useStore } from '../../api/store.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { TextInput } from '../../ui/text-input.tsx'
import { heard, t } from '../../words.ts'
import { Brand } from '../brand.tsx'
import { signOut } from '../sign-out.ts'
import styles from './sign-in.module.css'

export function ChoosePassword(): ReactNode {
  const { identity } = useStore(sessionStore)
  const [password, setPassword] = useState('')
  const [again, setAgain] = useState('')
  const [problem, setProblem] = useState('')
  const [isBusy, setBusy] = useState(false)
  const differs = again !== '' && again !== password
  const submit = async () => {
    if (!identity || password === '' || password !== again || isBusy) return
    setBusy(true)
    setProblem('')
    try {
      const params = { admin_id: identity.adminId }
      await call(localAdministrators.update, { params, body: { password } })
      await enter(identity.login, password)
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      setProblem(error.problems[0]?.message ?? error.message)
    } finally {
      setBusy(false)
    }
  }
  return (
    <main className={styles.page}>
      <form
        className={styles.card}
        onSubmit={(event) => {
          event.preventDefault()
          void submit()
        }}
      >
        <header className={styles.head}>
          <Brand size={28} />
          <h1>{t('Choose your password')}</h1>
        </header>
        <div className={styles.form}>
          <p className="muted">
            {t('You signed in with the first password. Everything else opens after it is changed.')}
          </p>
          <Field label={t('New password')} problem={problem === '' ? undefined : heard(problem)}>
            {({ id, describedBy, isInvalid }) => (
              <TextInput
                {...{ id, describedBy, isInvalid }}
                type="password"
                value={password}
                onChange={setPassword}
                autoComplete="new-password"
                autoFocus
                maxLength={256}
              />
            )}
          </Field>
          <Field label={t('Once more')} problem={differs ? t('The two differ.') : undefined}>
            {({ id, describedBy, isInvalid }) => (
              <TextInput
                {...{ id, describedBy, isInvalid }}
                type="password"
                value={again}
                onChange={setAgain}
                autoComplete="new-password"
                maxLength={256}
              />
            )}
          </Field>
          <div className={styles.submit}>
            <Button kind="primary" type="submit" isBusy={isBusy} isDisabled={password === '' || password !== again}>
              {t('Change the password')}
            </Button>
          </div>
          <Button kind="quiet" onClick={() => void signOut()}>
            {t('Sign out')}
          </Button>
        </div>
      </form>
    </main>
  )
}
