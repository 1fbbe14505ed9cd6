// Signatures as a table: by group, tactic or words, or those of one profile with the actions that it gives them.

import type { ReplyOf } from '@gateway/server/contract'
import {
  listSignatures,
  profileRules,
  profiles,
  showStatus,
  signatureGroups,
} from '@gateway/server/contract/intrusion-prevention'
import { type ReactNode, useMemo, useState } from 'react'
import { useRead } from '../../api/reads.ts'
import { EngineBars, EngineMark, useEngine } from '../../contract/render/page-status.tsx'
import type { HandPage } from '../../page.ts'
import { useGo, usePlace } from '../../place.ts'
import { Button } from '../../ui/button.tsx'
import { Chip } from '../../ui/chip.tsx'
import { Empty } from '../../ui/empty.tsx'
import { FilterBar } from '../../ui/filter-bar.tsx'
import { Grid } from '../../ui/grid/grid.tsx'
import type { Column, Sort } from '../../ui/grid/types.ts'
import { PageHead } from '../../ui/page-head.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { Select } from '../../ui/select.tsx'
import { useKept } from '../../ui/use-kept.ts'
import { printCount } from '../../util/amount.ts'
import { currentLanguage, t } from '../../words.ts'
import styles from './ips.module.css'
import { SignaturePanel } from './signature-panel.tsx'
import { actionWords, sourceWords, toneOfAction } from './words.ts'

type Signature = ReplyOf<typeof listSignatures>['signatures'][number]

/** The gateway filters by group and tactic, the page by words. */
function wireQuery(search: Readonly<Record<string, string>>) {
  const items = [
    ...(search.classtype ? [{ column_name: 'classtype', operator: 'equals', value: [search.classtype] }] : []),
    ...(search.tactic ? [{ column_name: 'mitre_tactic_id', operator: 'equals', value: [search.tactic] }] : []),
    ...(search.source ? [{ column_name: 'signature_source', operator: 'equals', value: [search.source] }] : []),
  ]
  return items.length === 0 ? {} : { filter: [{ items }] as never }
}

function useSignatures(search: Readonly<Record<string, string>>) {
  const profile = search.profile ?? ''
  const listed = useRead(listSignatures, { query: wireQuery(search), isEnabled: profile === '' })
  const effective = useRead(profiles.signatures, { params: { profile_id: profile }, isEnabled: profile !== '' })
  const read = profile === '' ? listed : effective
  const kept = useKept(read.data)
  const rows = useMemo(() => {
    const all = kept?.data.signatures ?? []
    if (profile === '') return all
    const { classtype, tactic, source } = search
    return all.filter(
      (one) =>
        (!classtype || one.classtype === classtype) &&
        (!tactic || one.mitre_tactic_id === tactic) &&
        (!source || one.signature_source === source),
    )
  }, [kept, profile, search])
  return { rows, error: read.error, isPending: read.isPending && !kept, refetch: () => void read.refetch() }
}

export function Signatures(): ReactNode {
  const { item, search } = usePlace()
  const go = useGo()
  const names = useGroupNames()
  const { rows: found, error, isPending, refetch } = useSignatures(search)
  const [sort, setSort] = useState<Sort | null>(null)
  const engine = useEngine(showStatus)
  const needle = (search.q ?? '').trim().toLowerCase()
  const rows = useMemo(
    () =>
      needle === ''
        ? found
        : found.filter(({ sid, msg, classtype, protocol }) =>
            [String(sid), msg, classtype, protocol].some((text) => text.toLowerCase().includes(needle)),
          ),
    [found, needle],
  )
  return (
    <>
      <PageHead
        title={t('Signatures')}
        lead={t('What traffic is compared with. A profile chooses from them.')}
        status={<EngineMark items={engine} />}
      >
        <Button icon="matrix" onClick={() => go.open('protection/intrusion-prevention/tactics')}>
          {t('As tactics')}
        </Button>
      </PageHead>
      <EngineBars items={engine} />
      <SignatureFilter names={names} count={rows.length} />
      {search.profile ? <ProfileCounts profile={search.profile} /> : null}
      {error ? <ProblemBox failure={error} onRetry={refetch} /> : null}
      <Grid
        label={t('Signatures')}
        rows={rows}
        rowKey={({ sid }) => String(sid)}
        height="fill"
        isLoading={isPending}
        sort={sort}
        onSort={setSort}
        activeKey={item}
        onOpen={({ sid }) => go.openItem(String(sid))}
        columns={signatureColumns(names.groups)}
        empty={<NoSignatures />}
      />
      {item !== null && /^\d+$/.test(item) ? (
        <SignaturePanel
          sid={Number(item)}
          known={rows.find(({ sid }) => String(sid) === item) ?? null}
          onClose={() => go.openItem(null)}
        />
      ) : null}
    </>
  )
}

type GroupNames = ReturnType<typeof useGroupNames>

/** The groups of signatures there are, and the names of groups and tactics by their ids. */
function useGroupNames() {
  const { data } = useRead(signatureGroups)
  const kinds = data?.data.signature_groups ?? []
  return {
    kinds,
    groups: new Map(kinds.map(({ classtype, classtype_name }) => [classtype, classtype_name])),
    tactics: new Map(
      kinds.flatMap(({ mitre_tactics }) => mitre_tactics.map((one) => [one.mitre_tactic_id, one.mitre_tactic_name])),
    ),
  }
}

function SignatureFilter({ names, count }: { readonly names: GroupNames; readonly count: number }): ReactNode {
  const { search } = usePlace()
  const go = useGo()
  const { data: all } = useRead(profiles.list)
  const set = (patch: Record<string, string | null>): void => go.setSearch(patch)
  return (
    <FilterBar
      text={search.q ?? ''}
      onText={(q) => go.setSearch({ q: q === '' ? null : q }, { replace: true })}
      placeholder={t('Name, SID or protocol')}
      count={t('{count, plural, one {# signature} other {# signatures}}', { count })}
      chips={[
        ...(search.classtype
          ? [
              {
                id: 'classtype',
                label: names.groups.get(search.classtype) ?? search.classtype,
                onRemove: () => set({ classtype: null }),
              },
            ]
          : []),
        ...(search.tactic
          ? [
              {
                id: 'tactic',
                label: names.tactics.get(search.tactic) ?? search.tactic,
                onRemove: () => set({ tactic: null }),
              },
            ]
          : []),
      ]}
    >
      <Select
        isCompact
        label={t('Group')}
        value={search.classtype ?? ''}
        onChange={(classtype) => set({ classtype: classtype === '' ? null : classtype })}
        options={[
          { value: '', label: t('All groups') },
          ...names.kinds.map(({ classtype, classtype_name, count }) => ({
            value: classtype,
            label: `${classtype_name || classtype} (${count})`,
          })),
        ]}
      />
      <Select
        isCompact
        label={t('Source')}
        value={search.source ?? ''}
        onChange={(source) => set({ source: source === '' ? null : source })}
        options={[
          { value: '', label: t('All sources') },
          ...Object.entries(sourceWords).map(([value, label]) => ({ value, label: t(label) })),
        ]}
      />
      <Select
        isCompact
        label={t('Profile')}
        value={search.profile ?? ''}
        onChange={(profile) => set({ profile: profile === '' ? null : profile })}
        options={[
          { value: '', label: t('Not by profile') },
          ...(all?.data ?? []).map(({ id, name }) => ({ value: id, label: t('In {profile}', { profile: name }) })),
        ]}
      />
    </FilterBar>
  )
}

function NoSignatures(): ReactNode {
  const { search } = usePlace()
  const go = useGo()
  const isNarrowed = ['q', 'classtype', 'tactic', 'source', 'profile'].some((name) => search[name] !== undefined)
  return (
    <Empty
      title={isNarrowed ? t('No signature fits') : t('There are no signatures yet')}
      action={
        isNarrowed ? (
          <Button onClick={() => go.open('protection/intrusion-prevention/signatures')}>{t('Show all')}</Button>
        ) : (
          <Button onClick={() => go.open('protection/intrusion-prevention/custom')}>{t('Own signatures')}</Button>
        )
      }
    >
      {t('Signatures come with the gateway, from rule files of the operator, and from own signatures.')}
    </Empty>
  )
}

export const signatureColumns = (groupNames: ReadonlyMap<string, string>): Column<Signature>[] => [
  {
    id: 'action',
    title: t('Action'),
    width: 110,
    text: ({ action }) => action,
    cell: ({ action }) => <Chip tone={toneOfAction(action)}>{t(actionWords[action] ?? action)}</Chip>,
  },
  {
    id: 'sid',
    title: t('SID'),
    width: 90,
    isNumber: true,
    sort: (a, b) => a.sid - b.sid,
    cell: ({ sid }) => <span className={styles.mono}>{sid}</span>,
  },
  {
    id: 'msg',
    title: t('Name'),
    width: 'rest',
    minWidth: 260,
    text: ({ msg }) => msg,
    cell: ({ msg }) => <PlainText text={msg} limit={160} />,
  },
  {
    id: 'classtype',
    title: t('Group'),
    width: 190,
    text: ({ classtype }) => classtype,
    cell: ({ classtype }) => <PlainText text={groupNames.get(classtype) || classtype} limit={60} />,
  },
  {
    id: 'severity',
    title: t('Severity'),
    width: 100,
    text: (one) => one.signature_severity,
    cell: (one) => (one.signature_severity === '-' ? '' : one.signature_severity),
  },
  {
    id: 'tactic',
    title: t('Tactic'),
    width: 80,
    text: (one) => one.mitre_tactic_id,
    cell: (one) => (one.mitre_tactic_id === '-' ? '' : one.mitre_tactic_id),
  },
  {
    id: 'protocol',
    title: t('Protocol'),
    width: 80,
    text: ({ protocol }) => protocol,
    cell: ({ protocol }) => protocol,
  },
  {
    id: 'source',
    title: t('Source'),
    width: 90,
    text: (one) => one.signature_source,
    cell: (one) => t(sourceWords[one.signature_source] ?? one.signature_source),
  },
  {
    id: 'updated',
    title: t('Of'),
    width: 96,
    text: (one) => one.updated_at,
    cell: (one) => (one.updated_at === '-' ? '' : one.updated_at),
  },
]

/** How many signatures of a profile end in which action, and by which of its rules. */
function ProfileCounts({ profile }: { readonly profile: string }): ReactNode {
  const { data: counts } = useRead(profiles.counts)
  const { data: byRule } = useRead(profileRules.counts, { params: { profile_id: profile } })
  const own = counts?.data[profile]
  const language = currentLanguage()
  if (!own) return null
  return (
    <div className={styles.counts} role="status">
      {Object.entries(own)
        .filter(([, count]) => count > 0)
        .map(([action, count]) => (
          <Chip key={action} tone={toneOfAction(action)}>
            {`${t(actionWords[action] ?? action)} ${printCount(count, language)}`}
          </Chip>
        ))}
      {Object.entries(byRule?.data ?? {}).map(([rule, actions]) => {
        const sum = Object.values(actions).reduce((total, count) => total + count, 0)
        return (
          <Chip key={rule} to={`protection/intrusion-prevention/profiles/${profile}`}>
            {t('rule {rule}: {count}', { rule, count: printCount(sum, language) })}
          </Chip>
        )
      })}
    </div>
  )
}

export const page: HandPage = { kind: 'hand', Component: Signatures }
