// The columns of the grid: position, switch, fields of the contract, columns of the page, and the menu of the row.

import type { ReactNode } from 'react'
import { useEditing } from '../../api/editing.ts'
import type { Column } from '../../ui/grid/types.ts'
import { Menu, type MenuItem } from '../../ui/menu.tsx'
import { Switch } from '../../ui/switch.tsx'
import { t } from '../../words.ts'
import { columnText, compareRows, restColumn, type ShownColumn, widthOf } from '../columns.ts'
import type { Collection, Item } from '../define.ts'
import { changeEndpoint, itemFields } from '../plan.ts'
import type { FormField } from '../schema.ts'
import type { Speaking } from '../values.ts'
import { labelOf } from '../words.ts'
import { FieldCell, OwnCell } from './cells.tsx'
import styles from './collection.module.css'
import { titleOf } from './widget.tsx'

export const columnTitle = ({ id, spec, field }: ShownColumn): string => {
  if (spec.title !== undefined) return t(spec.title)
  return field ? titleOf(field) : t(labelOf(id))
}

interface GridColumnsProps {
  readonly collection: Collection
  readonly columns: readonly ShownColumn[]
  readonly speaking: Speaking
  readonly positionOf: (row: Item) => number
  readonly isPending: (row: Item) => boolean
  readonly onSwitch: (row: Item, field: string, isOn: boolean) => void
  readonly menuOf: (row: Item) => readonly MenuItem[]
}

export function gridColumns(props: GridColumnsProps): Column<Item>[] {
  const { collection, columns, speaking, positionOf, isPending, onSwitch, menuOf } = props
  const switches = switchesOf(collection)
  const rest = restColumn(columns)
  return [
    ...(collection.isOrdered
      ? [
          {
            id: 'position',
            title: '#',
            width: 56,
            isNumber: true,
            isSticky: true,
            cell: (row: Item): ReactNode =>
              row.enabled === false ? <span className={styles.struck}>{positionOf(row)}</span> : positionOf(row),
          },
        ]
      : []),
    ...columns.map((column): Column<Item> => {
      const { id, spec, field } = column
      const isSwitch = switches.has(id) && field !== null && !spec.cell
      return {
        id,
        title: columnTitle(column),
        width: widthOf(column, rest),
        minWidth: 120,
        isNumber: spec.isNumber ?? isNumeric(field),
        text: (row) => columnText(column, row, speaking),
        ...(collection.isOrdered ? {} : { sort: compareRows(column, speaking) }),
        cell: (row) => {
          if (isSwitch)
            return (
              <SwitchCell
                collection={collection}
                row={row}
                field={field}
                isPending={isPending(row)}
                onSwitch={(isOn) => onSwitch(row, id, isOn)}
              />
            )
          if (spec.cell || spec.text || spec.to || field === null)
            return <OwnCell column={spec} row={row} text={columnText(column, row, speaking)} />
          return <FieldCell field={field} value={row[id]} speaking={speaking} />
        },
      }
    }),
    {
      id: 'menu',
      title: '',
      width: 44,
      cell: (row) => (
        <Menu label={t('Actions of {name}', { name: collection.title(row) })} icon="more" items={menuOf(row)} />
      ),
    },
  ]
}

const isNumeric = (field: FormField | null): boolean =>
  field !== null && (field.kind === 'number' || field.kind === 'bytes') && field.schema['x-time'] === undefined

/** Booleans that a call of this list can change are switches; `enabled` alone, others are words. */
function switchesOf(collection: Collection): ReadonlySet<string> {
  if (!changeEndpoint(collection)) return new Set()
  return new Set(
    itemFields(collection, false)
      .filter(({ name, kind }) => name === 'enabled' && kind === 'switch')
      .map(({ name }) => name),
  )
}

interface SwitchCellProps {
  readonly collection: Collection
  readonly row: Item
  readonly field: FormField
  readonly isPending: boolean
  readonly onSwitch: (isOn: boolean) => void
}

function SwitchCell({ collection, row, field, isPending, onSwitch }: SwitchCellProps): ReactNode {
  const editing = useEditing(changeEndpoint(collection)?.access ?? 'configure')
  const fixed = collection.isFixed?.(row) ?? null
  const isFixed = fixed !== null && !(collection.stillChangeable ?? []).includes(field.name)
  const isInverted = field.spec.isInverted === true
  return (
    <Switch
      isBare
      isOn={(row[field.name] === true) !== isInverted}
      label={t('{field} of {name}', { field: titleOf(field), name: collection.title(row) })}
      isDisabled={!editing.isAllowed || isFixed}
      why={editing.why ?? (isFixed && fixed !== null ? t(fixed) : undefined)}
      isPending={isPending}
      onChange={(isOn) => onSwitch(isOn !== isInverted)}
      tabIndex={-1}
    />
  )
}
