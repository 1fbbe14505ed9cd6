// The fields of a rule as a form, in the order in which one thinks of a rule: who, where to, what, where, when, then what happens.

import { applicationProfiles } from '@gateway/server/contract/application-profiles'
import { profiles as ipsProfiles } from '@gateway/server/contract/intrusion-prevention'
import { type ReactNode, useState } from 'react'
import { useRead } from '../../../api/reads.ts'
import { Button } from '../../../ui/button.tsx'
import { Checkbox } from '../../../ui/checkbox.tsx'
import { Field } from '../../../ui/field.tsx'
import { RadioGroup } from '../../../ui/radio-group.tsx'
import { Select } from '../../../ui/select.tsx'
import { Switch } from '../../../ui/switch.tsx'
import { TextInput } from '../../../ui/text-input.tsx'
import { addressKinds, interfaceKinds, type ObjectIndex, portKinds, timeKinds } from '../../../util/objects.ts'
import { t } from '../../../words.ts'
import { ObjectField } from '../object-field.tsx'
import { actionText, isAny, protocolText } from './rows.ts'
import styles from './rule-form.module.css'
import { fieldTitles, type ListField, protocols, type Rule, type RuleFieldName, type RuleTable } from './tables.ts'

export interface RuleFormProps {
  readonly table: RuleTable
  readonly rule: Rule
  readonly base: Rule | null
  readonly index: ObjectIndex
  readonly problems: ReadonlyMap<string, string>
  readonly isDisabled: boolean
  readonly onChange: (fields: Partial<Rule>) => void
}

export function RuleForm(props: RuleFormProps) {
  const { table, rule, isDisabled, onChange, problems } = props
  const hasPorts = rule.protocol === 'protocol.tcp' || rule.protocol === 'protocol.udp'
  const [isWide, setWide] = useState(
    !isAny(rule.source_ports) || !isAny(rule.timetable) || (rule.hip_profiles?.length ?? 0) > 0,
  )
  return (
    <div className={styles.form}>
      <Group title={t('Which traffic')}>
        <ListInput {...props} field="source_addresses" kinds={addressKinds} autoFocus />
        <Negation {...props} field="source_addresses_negate" of="source_addresses" />
        <ListInput {...props} field="destination_addresses" kinds={addressKinds} />
        <Negation {...props} field="destination_addresses_negate" of="destination_addresses" />
        <div className={styles.pair}>
          <Field label={t(fieldTitles.protocol)} problem={problems.get('protocol')}>
            {(ids) => (
              <Select
                {...ids}
                value={rule.protocol}
                options={protocols.map((value) => ({ value, label: protocolText(value) }))}
                onChange={(protocol) => onChange(changeProtocol(rule, protocol))}
                isDisabled={isDisabled}
              />
            )}
          </Field>
          <ListInput
            {...props}
            field="destination_ports"
            kinds={portKinds}
            placeholder={t('any: type a name or a port')}
            isDisabled={isDisabled || !hasPorts}
            {...(hasPorts ? {} : { hint: t('Only with TCP or UDP.') })}
          />
        </div>
        <div className={styles.pair}>
          {table.fields.includes('incoming_interface') ? <PlaceInput {...props} field="incoming_interface" /> : null}
          {table.fields.includes('outgoing_interface') ? <PlaceInput {...props} field="outgoing_interface" /> : null}
        </div>
        {isWide ? (
          <div className={styles.pair}>
            <ListInput
              {...props}
              field="source_ports"
              kinds={portKinds}
              placeholder={t('any')}
              isDisabled={isDisabled || !hasPorts}
            />
            <ListInput {...props} field="timetable" kinds={timeKinds} placeholder={t('always')} />
          </div>
        ) : (
          <div>
            <Button kind="quiet" icon="add" size="small" onClick={() => setWide(true)}>
              {t('Source ports, times')}
            </Button>
          </div>
        )}
      </Group>
      <Group title={t('What happens')}>
        <Field label={t(fieldTitles.action)} problem={problems.get('action')}>
          {(ids) => (
            <RadioGroup
              {...ids}
              isRow
              label={t(fieldTitles.action)}
              value={rule.action}
              options={table.actions.map((value) => ({ value, label: actionText(value) }))}
              onChange={(action) => onChange({ action } as Partial<Rule>)}
              isDisabled={isDisabled}
            />
          )}
        </Field>
        {rule.action === 'dnat' ? (
          <div className={styles.pair}>
            <TargetInput {...props} field="change_destination_address" kinds={addressKinds} empty={t('stays')} />
            <TargetInput {...props} field="change_destination_port" kinds={portKinds} empty={t('stays')} />
          </div>
        ) : null}
        {rule.action === 'snat' ? (
          <TargetInput
            {...props}
            field="change_source_address"
            kinds={addressKinds}
            empty={t('address of the outgoing interface')}
          />
        ) : null}
        {table.fields.includes('ips_enabled') && rule.action === 'accept' ? <Inspection {...props} /> : null}
      </Group>
      <Group title={t('About the rule')}>
        <Field
          label={t(fieldTitles.comment)}
          problem={problems.get('comment')}
          hint={t('{count} of 255', { count: [...rule.comment].length })}
        >
          {(ids) => (
            <TextInput
              {...ids}
              value={rule.comment}
              onChange={(comment) => onChange({ comment })}
              maxLength={255}
              isDisabled={isDisabled}
            />
          )}
        </Field>
        <Switch
          isOn={rule.enabled}
          onChange={(enabled) => onChange({ enabled })}
          label={t('The rule is on')}
          isDisabled={isDisabled}
        />
      </Group>
    </div>
  )
}

/** Ports are given up with a protocol that has none. */
function changeProtocol(rule: Rule, protocol: string): Partial<Rule> {
  const fields = { protocol } as Partial<Rule>
  if (protocol === 'protocol.tcp' || protocol === 'protocol.udp') return fields
  return {
    ...fields,
    ...(isAny(rule.source_ports) ? {} : { source_ports: ['any'] }),
    ...(isAny(rule.destination_ports) ? {} : { destination_ports: ['any'] }),
  }
}

function Group({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <fieldset className={styles.group}>
      <legend className={styles.legend}>{title}</legend>
      {children}
    </fieldset>
  )
}

interface InputProps extends RuleFormProps {
  readonly kinds: readonly string[]
  readonly placeholder?: string
  readonly hint?: string
  readonly autoFocus?: boolean
}

const isChanged = ({ base, rule }: RuleFormProps, field: RuleFieldName): boolean =>
  base !== null && JSON.stringify(base[field]) !== JSON.stringify(rule[field])

const Changed = ({ isShown }: { readonly isShown: boolean }) =>
  isShown ? <span className={styles.changed}>{t('changed')}</span> : null

/** The fault of the field, or of one of its entries. */
const problemOf = (problems: ReadonlyMap<string, string>, field: string): string | undefined =>
  problems.get(field) ?? [...problems].find(([name]) => name.startsWith(`${field}[`))?.[1]

function ListInput(props: InputProps & { readonly field: ListField }) {
  const { rule, index, problems, isDisabled, onChange, field, kinds, placeholder, hint, autoFocus } = props
  return (
    <Field
      label={t(fieldTitles[field])}
      problem={problemOf(problems, field)}
      hint={hint}
      mark={<Changed isShown={isChanged(props, field)} />}
    >
      {(ids) => (
        <ObjectField
          {...ids}
          value={isAny(rule[field]) ? [] : rule[field]}
          onChange={(value) => onChange({ [field]: value.length === 0 ? ['any'] : value } as Partial<Rule>)}
          index={index}
          kinds={kinds}
          isMultiple
          isDisabled={isDisabled}
          {...(placeholder === undefined ? {} : { placeholder })}
          {...(autoFocus === undefined ? {} : { autoFocus })}
        />
      )}
    </Field>
  )
}

interface NegationProps extends RuleFormProps {
  readonly field: 'source_addresses_negate' | 'destination_addresses_negate'
  readonly of: 'source_addresses' | 'destination_addresses'
}

function Negation({ rule, field, of, isDisabled, onChange }: NegationProps) {
  if (isAny(rule[of]) && !rule[field]) return null
  return (
    <Checkbox
      isOn={rule[field]}
      onChange={(isOn) => onChange({ [field]: isOn } as Partial<Rule>)}
      label={t(fieldTitles[field])}
      isDisabled={isDisabled}
    />
  )
}

function PlaceInput(props: RuleFormProps & { readonly field: 'incoming_interface' | 'outgoing_interface' }) {
  const { rule, index, problems, isDisabled, onChange, field } = props
  const value = rule[field] ?? 'any'
  return (
    <Field
      label={t(fieldTitles[field])}
      problem={problems.get(field)}
      mark={<Changed isShown={isChanged(props, field)} />}
    >
      {(ids) => (
        <ObjectField
          {...ids}
          value={value === 'any' ? [] : [value]}
          onChange={([id = 'any']) => onChange({ [field]: id } as Partial<Rule>)}
          index={index}
          kinds={interfaceKinds}
          isMultiple={false}
          isDisabled={isDisabled}
          placeholder={t('any')}
        />
      )}
    </Field>
  )
}

interface TargetInputProps extends RuleFormProps {
  readonly field: 'change_destination_address' | 'change_destination_port' | 'change_source_address'
  readonly kinds: readonly string[]
  readonly empty: string
}

function TargetInput({ rule, index, problems, isDisabled, onChange, field, kinds, empty }: TargetInputProps) {
  const value = rule[field] ?? null
  return (
    <Field label={t(fieldTitles[field])} problem={problems.get(field)} hint={t('Empty: {what}', { what: empty })}>
      {(ids) => (
        <ObjectField
          {...ids}
          value={value === null ? [] : [value]}
          onChange={([next]) => onChange({ [field]: next ?? null } as Partial<Rule>)}
          index={index}
          kinds={kinds}
          isMultiple={false}
          isDisabled={isDisabled}
          placeholder={empty}
        />
      )}
    </Field>
  )
}

function Inspection({ rule, isDisabled, onChange, problems }: RuleFormProps) {
  const ips = useRead(ipsProfiles.list).data?.data ?? []
  const dpi = useRead(applicationProfiles.list).data?.data ?? []
  return (
    <div className={styles.pair}>
      <div className={styles.inspection}>
        <Switch
          isOn={rule.ips_enabled ?? false}
          onChange={(isOn) => onChange({ ips_enabled: isOn })}
          label={t('Intrusion prevention')}
          isDisabled={isDisabled}
        />
        {rule.ips_enabled ? (
          <Field label={t('Profile')} problem={problems.get('ips_profile')}>
            {(ids) => (
              <Select
                {...ids}
                value={rule.ips_profile ?? ''}
                options={ips.map(({ id, name }) => ({ value: id, label: name }))}
                onChange={(id) => onChange({ ips_profile: id })}
                isDisabled={isDisabled}
              />
            )}
          </Field>
        ) : null}
      </div>
      <div className={styles.inspection}>
        <Switch
          isOn={rule.dpi_enabled ?? false}
          onChange={(isOn) => onChange({ dpi_enabled: isOn })}
          label={t('Application control')}
          isDisabled={isDisabled}
        />
        {rule.dpi_enabled ? (
          <Field label={t('Profile')} problem={problems.get('dpi_profile')}>
            {(ids) => (
              <Select
                {...ids}
                value={rule.dpi_profile ?? ''}
                options={dpi.map(({ id, name }) => ({ value: id, label: name }))}
                onChange={(id) => onChange({ dpi_profile: id })}
                isDisabled={isDisabled}
              />
            )}
          </Field>
        ) : null}
      </div>
    </div>
  )
}
