// One signature: its text, the profiles that contain it, and a rule for it in a profile.

import type { ReplyOf } from '@gateway/server/contract'
import {
  listSignatureProfiles,
  type listSignatures,
  profileRules,
  profiles,
  showSignature,
} from '@gateway/server/contract/intrusion-prevention'
import { type ReactNode, useState } from 'react'
import { useReview } from '../../api/apply.ts'
import { call } from '../../api/call.ts'
import { useEditing } from '../../api/editing.ts'
import { useRead } from '../../api/reads.ts'
import { Button } from '../../ui/button.tsx'
import { Drawer } from '../../ui/drawer.tsx'
import { Field } from '../../ui/field.tsx'
import { Link } from '../../ui/link.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { RadioGroup } from '../../ui/radio-group.tsx'
import { Select } from '../../ui/select.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { t } from '../../words.ts'
import styles from './ips.module.css'

type Signature = ReplyOf<typeof listSignatures>['signatures'][number]

const templateId = '__DEFAULT_IPS_PROFILE_ID__'

interface PanelProps {
  readonly sid: number
  readonly known: Signature | null
  readonly onClose: () => void
}

export function SignaturePanel({ sid, known, onClose }: PanelProps): ReactNode {
  const text = useRead(showSignature, { params: { sid } })
  const { data: inside } = useRead(listSignatureProfiles, { params: { sid } })
  return (
    <Drawer title={known?.msg ?? t('Signature {sid}', { sid })} width="wide" onClose={onClose}>
      {text.error ? <ProblemBox failure={text.error} onRetry={() => void text.refetch()} /> : null}
      {text.isPending ? <Skeleton lines={4} /> : null}
      {text.data ? (
        <pre className={styles.text} dir="ltr">
          <PlainText text={text.data.data.signature} limit={9_000} />
        </pre>
      ) : null}
      <dl className={styles.facts}>
        <dt>{t('SID')}</dt>
        <dd className={styles.mono}>{sid}</dd>
        {known ? (
          <>
            <dt>{t('Way')}</dt>
            <dd className={styles.mono}>
              <PlainText
                text={`${known.protocol} ${known.source} ${known.source_ports} → ${known.destination} ${known.destination_ports}`}
              />
            </dd>
          </>
        ) : null}
        <dt>{t('In profiles')}</dt>
        <dd>
          {inside?.data.length === 0 ? t('none') : null}
          {inside?.data.map(({ id, name }) => (
            <span key={id}>
              <Link to={`protection/intrusion-prevention/profiles/${encodeURIComponent(id)}`}>{name}</Link>{' '}
            </span>
          ))}
        </dd>
      </dl>
      <RuleForm sid={sid} name={known?.msg ?? ''} />
    </Drawer>
  )
}

/** What one profile does on a find of this signature: a rule before all others of the profile. */
function RuleForm({ sid, name }: { readonly sid: number; readonly name: string }): ReactNode {
  const review = useReview()
  const editing = useEditing('configure')
  const { data } = useRead(profiles.list)
  const own = (data?.data ?? []).filter(({ id }) => id !== templateId)
  const [profile, setProfile] = useState<string | null>(null)
  const [action, setAction] = useState('drop')
  const send = async (): Promise<void> => {
    if (profile === null) return
    const { data: rules, etag } = await call(profileRules.list, { params: { profile_id: profile }, isBackground: true })
    const [first] = rules
    review.open({
      title: t('A rule for signature {sid}', { sid }),
      calls: [
        {
          endpoint: profileRules.create,
          params: { profile_id: profile },
          ...(first ? { query: { anchor_item_id: first.id, insert_after: false } } : {}),
          body: { filters: [{ key: 'sid', operator: 'equals', values: [sid] }], action, comment: name.slice(0, 255) },
          etag,
        },
      ],
      reads: [profileRules.list, profiles.signatures, profiles.counts, profileRules.counts, listSignatureProfiles],
    })
  }
  if (own.length === 0)
    return <p className={styles.muted}>{t('There is no profile of your own yet; copy the template.')}</p>
  return (
    <div className={styles.form}>
      <Field label={t('What a profile does on a find')}>
        {({ id }) => (
          <Select
            id={id}
            value={profile}
            onChange={setProfile}
            options={own.map(({ id: value, name: label }) => ({ value, label }))}
            isDisabled={!editing.isAllowed}
          />
        )}
      </Field>
      <RadioGroup
        label={t('Action')}
        value={action}
        onChange={setAction}
        options={[
          { value: 'drop', label: t('drop') },
          { value: 'alert', label: t('alert') },
          { value: 'pass', label: t('let pass') },
        ]}
      />
      <Button
        icon="add"
        isDisabled={!editing.isAllowed || profile === null}
        why={editing.why ?? t('Choose a profile.')}
        onClick={() => void send()}
      >
        {t('Review the rule')}
      </Button>
    </div>
  )
}
