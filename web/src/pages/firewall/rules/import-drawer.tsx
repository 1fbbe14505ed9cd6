// Rules from a file: every cell is checked here, faults are at their cells and are mended in place, then all rules are
// reviewed and applied as one revision.

import type { KeyboardEvent } from 'react'
import { Bar } from '../../../ui/bar.tsx'
import { Button } from '../../../ui/button.tsx'
import { Drawer } from '../../../ui/drawer.tsx'
import { FileDrop } from '../../../ui/file-drop.tsx'
import { Grid } from '../../../ui/grid/grid.tsx'
import type { Column } from '../../../ui/grid/types.ts'
import { PlainText } from '../../../ui/plain-text.tsx'
import { Select } from '../../../ui/select.tsx'
import { Switch } from '../../../ui/switch.tsx'
import { TextInput } from '../../../ui/text-input.tsx'
import { Tooltip } from '../../../ui/tooltip.tsx'
import { t } from '../../../words.ts'
import type { ImportFile, ImportRow } from './exchange.ts'
import styles from './import-drawer.module.css'
import { fieldTitles, type RuleFieldName, type RuleTable } from './tables.ts'
import { type RuleImport, type RuleImportSource, useRuleImport } from './use-rule-import.ts'

export interface ImportDrawerProps extends RuleImportSource {
  readonly onClose: () => void
}

export function ImportDrawer(props: ImportDrawerProps) {
  const { table, onClose } = props
  const imported = useRuleImport(props)
  const { loaded } = imported
  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    event.stopPropagation()
    imported.submit()
  }
  return (
    <Drawer
      title={t('Import {table} rules', { table: table.title })}
      width="wide"
      onClose={onClose}
      foot={<ImportFoot imported={imported} onClose={onClose} />}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: keys of the whole form */}
      <div className={styles.body} onKeyDown={onKey}>
        {loaded === null || loaded.problem !== null ? (
          <FileChoice imported={imported} />
        ) : (
          <FileRows imported={imported} loaded={loaded} table={table} />
        )}
      </div>
    </Drawer>
  )
}

function FileChoice({ imported: { loaded, read } }: { readonly imported: RuleImport }) {
  return (
    <>
      {loaded?.problem ? <Bar tone="bad">{loaded.problem}</Bar> : null}
      <FileDrop
        onFile={(next) => void read(next)}
        accept=".csv,.tsv,.txt,.json"
        label={t('Drop a CSV or JSON file with rules here')}
      />
      <p className={styles.hint}>
        {t(
          'The first line names the columns, as in a file that was exported here. Objects are written by name, by id or by address; several between bars.',
        )}
      </p>
    </>
  )
}

interface FileRowsProps {
  readonly imported: RuleImport
  readonly loaded: ImportFile
  readonly table: RuleTable
}

/** The rows of the file with their faults, where they go, and what is missing. */
function FileRows({ imported, loaded, table }: FileRowsProps) {
  const { place, setPlace, isOnlyFaults, setOnlyFaults, missing, isTooMany, shown, refused, mend } = imported
  return (
    <>
      <div className={styles.line}>
        <Select
          isCompact
          label={t('Where the rules go')}
          value={place}
          options={[
            { value: 'end', label: t('To the end of {table}', { table: table.title }) },
            { value: 'top', label: t('To the top of {table}', { table: table.title }) },
          ]}
          onChange={setPlace}
        />
        <Switch isOn={isOnlyFaults} onChange={setOnlyFaults} label={t('Only rows with faults')} />
        {missing.length > 0 ? (
          <Button icon="add" onClick={imported.makeObjects}>
            {t('{count, plural, one {Make # missing object} other {Make # missing objects}}', {
              count: missing.length,
            })}
          </Button>
        ) : null}
      </div>
      {loaded.ignored.length > 0 ? (
        <Bar tone="plain">{t('Columns that are not used: {names}', { names: loaded.ignored.join(', ') })}</Bar>
      ) : null}
      {isTooMany ? <Bar tone="warn">{t('At most 2,000 rules and new objects can be added at once.')}</Bar> : null}
      <div className={styles.grid}>
        <Grid
          label={t('Rules of the file')}
          rows={shown}
          rowKey={({ key }) => key}
          columns={columnsOf(loaded.columns, refused, mend)}
          height="fill"
          empty={<p className={styles.hint}>{t('No row has a fault.')}</p>}
        />
      </div>
    </>
  )
}

interface ImportFootProps {
  readonly imported: RuleImport
  readonly onClose: () => void
}

function ImportFoot({ imported: { loaded, rows, faulty, isTooMany, canSubmit, submit }, onClose }: ImportFootProps) {
  return (
    <div className={styles.foot}>
      <span className={styles.count} role="status">
        {loaded === null || loaded.problem !== null
          ? ''
          : t(
              '{count, plural, one {# rule} other {# rules}}, {faulty, plural, =0 {no faults} one {# with faults} other {# with faults}}',
              {
                count: rows.length,
                faulty: faulty.length,
              },
            )}
      </span>
      <Button onClick={onClose}>{t('Cancel')}</Button>
      <Button
        kind="primary"
        keys="Ctrl Enter"
        onClick={submit}
        isDisabled={!canSubmit}
        why={
          isTooMany
            ? t('At most 2,000 rules and new objects can be added at once.')
            : faulty.length > 0
              ? t('Mend the faults first.')
              : undefined
        }
      >
        {t('Review all')}
      </Button>
    </div>
  )
}

function columnsOf(
  fields: readonly RuleFieldName[],
  refused: ReadonlyMap<string, string>,
  onMend: (line: number, field: RuleFieldName, text: string) => void,
): readonly Column<ImportRow>[] {
  return [
    {
      id: 'line',
      title: t('Line'),
      width: 72,
      isNumber: true,
      isSticky: true,
      cell: ({ line, key }) => {
        const message = refused.get(key)
        return message === undefined ? (
          line
        ) : (
          <Tooltip text={message}>
            <span className={styles.refused}>{line}</span>
          </Tooltip>
        )
      },
    },
    ...fields.map(
      (field): Column<ImportRow> => ({
        id: field,
        title: t(fieldTitles[field]),
        width: field === 'comment' ? 'rest' : (widths[field] ?? 110),
        cell: (row) => <CellText row={row} field={field} />,
        edit: (row, done) => (
          <TextInput
            value={row.cells[field] ?? ''}
            onChange={(text) => onMend(row.line, field, text)}
            label={t('{field} of line {line}', { field: t(fieldTitles[field]), line: row.line })}
            onEnter={done}
            autoFocus
          />
        ),
      }),
    ),
  ]
}

const widths: Readonly<Partial<Record<RuleFieldName, number>>> = {
  enabled: 56,
  protocol: 76,
  action: 84,
  source_addresses: 190,
  destination_addresses: 190,
}

function CellText({ row, field }: { readonly row: ImportRow; readonly field: RuleFieldName }) {
  const fault = row.faults.get(field)
  const text = <PlainText text={row.cells[field] ?? ''} limit={120} />
  if (fault === undefined) return text
  return (
    <Tooltip text={fault.message}>
      <span className={styles.fault} data-fault={fault.message}>
        {(row.cells[field] ?? '') === '' ? '–' : text}
      </span>
    </Tooltip>
  )
}
