// Makes an exception of a security event: of this signature between these hosts, or of a host as a whole. The change is reviewed.

import type { BodyOf, ReplyOf } from '@gateway/server/contract'
import { bypassList } from '@gateway/server/contract/firewall'
import { customSignatures, profileRules, profiles } from '@gateway/server/contract/intrusion-prevention'
import { addException, showEvent } from '@gateway/server/contract/security-events'
import { type ReactNode, useState } from 'react'
import { useReview } from '../../api/apply.ts'
import { Bar } from '../../ui/bar.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { RadioGroup } from '../../ui/radio-group.tsx'
import { TextInput } from '../../ui/text-input.tsx'
import { heard, t } from '../../words.ts'
import styles from './explorer.module.css'

type Exception = BodyOf<typeof addException>

interface ExceptionProps {
  readonly eventId: string
  readonly details: ReplyOf<typeof showEvent>
  readonly onClose: () => void
}

export function ExceptionDialog({ eventId, details, onClose }: ExceptionProps): ReactNode {
  const review = useReview()
  const { event, exceptions, no_exception: why } = details
  const [kind, setKind] = useState<Exception['kind']>(exceptions[0] ?? 'signature')
  const [side, setSide] = useState<NonNullable<Exception['side']>>(kind === 'address' ? 'source' : 'both')
  const [comment, setComment] = useState('')
  const choose = (next: string): void => {
    setKind(next === 'address' ? 'address' : 'signature')
    setSide(next === 'address' ? 'source' : 'both')
  }
  const ask = (): void => {
    // The review is over the page, not over a dialog.
    onClose()
    review.open({
      title:
        kind === 'signature'
          ? t('Exception for signature {sid}', { sid: event.signature_id })
          : t('Exception for {address}', { address: side === 'source' ? event.src_ip : event.dst_ip }),
      calls: [
        {
          endpoint: addException,
          params: { event_id: eventId },
          body: { kind, side, ...(comment === '' ? {} : { comment }) } satisfies Exception,
        },
      ],
      reads: [showEvent, customSignatures.list, profileRules.list, profiles.counts, bypassList.list],
    })
  }
  const hosts = { source: event.src_ip, destination: event.dst_ip }
  return (
    <Dialog
      title={t('Make an exception')}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button kind="primary" onClick={ask}>
            {t('Review')}
          </Button>
        </>
      }
    >
      <div className={styles.form}>
        {exceptions.includes('signature') ? null : (
          <Bar tone="plain">
            <PlainText text={heard(why)} limit={400} />
          </Bar>
        )}
        <RadioGroup
          label={t('What is excepted')}
          value={kind}
          onChange={choose}
          options={[
            ...(exceptions.includes('signature')
              ? [
                  {
                    value: 'signature',
                    label: t('This signature between these addresses'),
                    hint: t('The profile “{profile}” lets such traffic pass and finds everything else in it.', {
                      profile: event.profile,
                    }),
                  },
                ]
              : []),
            ...(exceptions.includes('address')
              ? [
                  {
                    value: 'address',
                    label: t('The address as a whole'),
                    hint: t('Nothing that is forwarded for it is inspected any more.'),
                  },
                ]
              : []),
          ]}
        />
        <RadioGroup
          label={t('For which addresses')}
          value={side}
          onChange={(next) => setSide(next as typeof side)}
          options={[
            ...(kind === 'signature' ? [{ value: 'both', label: t('From {source} to {destination}', hosts) }] : []),
            {
              value: 'source',
              label:
                kind === 'signature'
                  ? t('From {source} to any address', hosts)
                  : t('{source}, which opened the connection', hosts),
            },
            {
              value: 'destination',
              label:
                kind === 'signature'
                  ? t('From any address to {destination}', hosts)
                  : t('{destination}, to which it was opened', hosts),
            },
          ]}
        />
        <Field label={t('Comment')}>
          {(ids) => <TextInput {...ids} value={comment} onChange={setComment} maxLength={255} />}
        </Field>
      </div>
    </Dialog>
  )
}
