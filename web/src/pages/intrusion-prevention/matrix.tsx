// Signatures as a matrix of tactics: in the order of an attack, the groups of each below. A group leads to its signatures.

import { profiles, signatureMatrix } from '@gateway/server/contract/intrusion-prevention'
import { type ReactNode, useState } from 'react'
import { useReview } from '../../api/apply.ts'
import { useEditing } from '../../api/editing.ts'
import { useRead } from '../../api/reads.ts'
import type { HandPage } from '../../page.ts'
import { useGo, usePlace } from '../../place.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Field } from '../../ui/field.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Link } from '../../ui/link.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { RadioGroup } from '../../ui/radio-group.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { TextInput } from '../../ui/text-input.tsx'
import { printCount } from '../../util/amount.ts'
import { currentLanguage, t } from '../../words.ts'
import styles from './ips.module.css'
import { type TacticColumn, tacticColumns } from './tactics.ts'

const signaturesPath = 'protection/intrusion-prevention/signatures'

export function Matrix(): ReactNode {
  const { search } = usePlace()
  const go = useGo()
  const editing = useEditing('configure')
  const matrix = useRead(signatureMatrix)
  const columns = tacticColumns(matrix.data?.data.signature_groups ?? [], search.q)
  const [chosen, setChosen] = useState<TacticColumn | null>(null)
  const language = currentLanguage()
  const count = columns.reduce((sum, one) => sum + one.count, 0)
  return (
    <>
      <PageHead
        title={t('Tactics')}
        lead={t('What an attacker wants, in the order of an attack, and the signatures that notice it.')}
      >
        <Button icon="table" onClick={() => go.open(signaturesPath)}>
          {t('As table')}
        </Button>
      </PageHead>
      <FilterBar
        text={search.q ?? ''}
        onText={(q) => go.setSearch({ q: q === '' ? null : q }, { replace: true })}
        placeholder={t('Tactic or group')}
        count={t('{count, plural, one {# signature} other {# signatures}}', { count })}
      />
      {matrix.error ? <ProblemBox failure={matrix.error} onRetry={() => void matrix.refetch()} /> : null}
      {matrix.isPending ? <Skeleton lines={10} /> : null}
      {matrix.data && columns.length === 0 ? (
        <Empty title={search.q ? t('Nothing fits') : t('There are no signatures yet')} />
      ) : null}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <section className={styles.matrix} aria-label={t('Tactics')} tabIndex={0}>
        {columns.map((column) => (
          <div key={column.id} className={styles.tactic}>
            <header className={styles.tacticHead}>
              <h2 className={styles.tacticName}>
                {column.id === '-' ? t('Without a tactic') : <PlainText text={column.name} limit={60} />}
              </h2>
              <span className={styles.tacticMeta}>
                <Link to={signaturesPath} search={{ tactic: column.id }}>
                  {column.id === '-' ? t('all') : column.id}
                </Link>
                <span>{printCount(column.count, language)}</span>
                {column.id === '-' ? null : (
                  <IconButton
                    icon="add"
                    size="small"
                    label={t('A profile with {tactic}', { tactic: column.name })}
                    onClick={() => setChosen(column)}
                    isDisabled={!editing.isAllowed}
                    why={editing.why}
                  />
                )}
              </span>
            </header>
            {column.cells.map(({ classtype, name, count: own, weight }) => (
              <a
                key={classtype}
                className={styles.cell}
                data-weight={weight}
                href={`/ui/${signaturesPath}?${new URLSearchParams({ tactic: column.id, classtype })}`}
                onClick={(event) => {
                  if (event.ctrlKey || event.metaKey || event.shiftKey) return
                  event.preventDefault()
                  go.open(signaturesPath, { tactic: column.id, classtype })
                }}
              >
                <span className={styles.cellName}>
                  <PlainText text={name} limit={80} />
                </span>
                <span className={styles.cellCount}>{printCount(own, language)}</span>
              </a>
            ))}
          </div>
        ))}
      </section>
      {chosen ? <ProfileDialog tactic={chosen} onClose={() => setChosen(null)} /> : null}
    </>
  )
}

/** A new profile with one rule for all signatures of a tactic. */
function ProfileDialog({
  tactic,
  onClose,
}: {
  readonly tactic: TacticColumn
  readonly onClose: () => void
}): ReactNode {
  const review = useReview()
  const go = useGo()
  const [name, setName] = useState(tactic.name.slice(0, 42))
  const [action, setAction] = useState<'drop' | 'alert' | 'default'>('drop')
  const send = (): void => {
    onClose()
    review.open({
      title: t('Add the profile {name}', { name }),
      calls: [
        {
          endpoint: profiles.createWithRules,
          body: {
            name,
            comment: '',
            rules: [
              { filters: [{ key: 'mitre_tactic_id', operator: 'equals', values: [tactic.id] }], action, comment: '' },
            ],
          },
        },
      ],
      reads: [profiles.list, profiles.counts],
      onApplied: () => go.open('protection/intrusion-prevention/profiles'),
    })
  }
  return (
    <Dialog
      title={t('A profile with {tactic}', { tactic: tactic.name })}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button kind="primary" onClick={send} isDisabled={name.trim() === ''}>
            {t('Review')}
          </Button>
        </>
      }
    >
      <div className={styles.form}>
        <Field label={t('Name')} isRequired>
          {(ids) => <TextInput {...ids} value={name} onChange={setName} maxLength={42} autoFocus />}
        </Field>
        <RadioGroup
          label={t('What happens on a find')}
          value={action}
          onChange={(value) => setAction(value as typeof action)}
          options={[
            { value: 'drop', label: t('drop') },
            { value: 'alert', label: t('alert') },
            { value: 'default', label: t('as the signature says') },
          ]}
        />
      </div>
    </Dialog>
  )
}

export const page: HandPage = { kind: 'hand', Component: Matrix }
