// The packet in one line: protocol, source, destination, where it comes in and when.

import { useMemo } from 'react'
import { Field } from '../../../ui/field.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Select } from '../../../ui/select.tsx'
import { TextInput } from '../../../ui/text-input.tsx'
import { kindOfId, type ObjectIndex } from '../../../util/objects.ts'
import { t } from '../../../words.ts'
import { hasPorts, type PacketDraft, type PacketField, splitEnd, type TraceProtocol, traceProtocols } from './packet.ts'
import styles from './packet-form.module.css'

export interface PacketFormProps {
  readonly packet: PacketDraft
  readonly onChange: (packet: PacketDraft) => void
  readonly faults: ReadonlyMap<PacketField, 'address' | 'port' | 'needed'>
  readonly index: ObjectIndex
}

export function PacketForm({ packet, onChange, faults, index }: PacketFormProps) {
  const set = (fields: Partial<PacketDraft>): void => onChange({ ...packet, ...fields })
  const places = useMemo(
    () => [
      { value: '', label: t('where the source is') },
      { value: 'gateway', label: t('the gateway itself') },
      ...index.all
        .filter(({ id }) => kindOfId(id) === 'zone' || /^interface\.(?:id|tunnel)\./.test(id))
        .map(({ id, title }) => ({ value: id, label: title })),
    ],
    [index],
  )
  const place = places.some(({ value }) => value === packet.incoming)
    ? places
    : [...places, { value: packet.incoming, label: packet.incoming }]
  const withPorts = hasPorts(packet.protocol)
  /** `10.0.0.1:443` that was pasted goes to both fields. */
  const setEnd = (text: string, address: 'source' | 'destination', port: 'sourcePort' | 'destinationPort'): void => {
    const end = splitEnd(text)
    set(end.port === '' ? { [address]: text.trim() } : { [address]: end.address, [port]: end.port })
  }
  return (
    <div className={styles.form}>
      <Field label={t('Protocol')}>
        {(ids) => (
          <Select
            {...ids}
            value={packet.protocol}
            options={traceProtocols.map((value) => ({ value, label: value }))}
            onChange={(value) => set({ protocol: value as TraceProtocol })}
          />
        )}
      </Field>
      <Field label={t('Source')} problem={say(faults.get('source'))}>
        {(ids) => (
          <TextInput
            {...ids}
            isMono
            autoFocus
            value={packet.source}
            onChange={(text) => setEnd(text, 'source', 'sourcePort')}
            placeholder="10.1.2.9"
          />
        )}
      </Field>
      {withPorts ? (
        <Field label={t('Port')} problem={say(faults.get('sourcePort'))}>
          {(ids) => (
            <TextInput
              {...ids}
              isMono
              value={packet.sourcePort}
              onChange={(sourcePort) => set({ sourcePort })}
              placeholder={t('any')}
            />
          )}
        </Field>
      ) : null}
      <span className={styles.arrow}>
        <Icon name="right" />
      </span>
      <Field label={t('Destination')} problem={say(faults.get('destination'))}>
        {(ids) => (
          <TextInput
            {...ids}
            isMono
            value={packet.destination}
            onChange={(text) => setEnd(text, 'destination', 'destinationPort')}
            placeholder={t('198.51.100.10 or a name')}
          />
        )}
      </Field>
      {withPorts ? (
        <Field label={t('Port')} problem={say(faults.get('destinationPort'))}>
          {(ids) => (
            <TextInput
              {...ids}
              isMono
              value={packet.destinationPort}
              onChange={(destinationPort) => set({ destinationPort })}
              placeholder="443"
            />
          )}
        </Field>
      ) : null}
      <Field label={t('Comes in at')}>
        {(ids) => (
          <Select {...ids} value={packet.incoming} options={place} onChange={(incoming) => set({ incoming })} />
        )}
      </Field>
      <Field label={t('When')}>
        {(ids) => (
          <input
            id={ids.id}
            aria-describedby={ids.describedBy}
            className={styles.time}
            type="datetime-local"
            value={packet.time}
            onChange={(event) => set({ time: event.currentTarget.value })}
          />
        )}
      </Field>
    </div>
  )
}

function say(fault: 'address' | 'port' | 'needed' | undefined): string | undefined {
  if (fault === 'needed') return t('Needed')
  if (fault === 'port') return t('0 to 65535')
  return fault === 'address' ? t('An address, or a name') : undefined
}
