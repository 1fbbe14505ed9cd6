// The inspection engine: what it does now, what happens to the traffic of each profile while it does not run, what its tests found.

import type { ReplyOf } from '@gateway/server/contract'
import { applicationStatus } from '@gateway/server/contract/application-control'
import { channels, inspectedProfiles } from '@gateway/server/contract/inspection'
import { showStatus } from '@gateway/server/contract/intrusion-prevention'
import { type ReactNode, useState } from 'react'
import { applyNow } from '../../api/apply.ts'
import { useEditing } from '../../api/editing.ts'
import { useRead } from '../../api/reads.ts'
import { worstOf } from '../../contract/render/page-status.tsx'
import { labelOf } from '../../contract/words.ts'
import type { HandPage } from '../../page.ts'
import { Bar } from '../../ui/bar.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Figure } from '../../ui/figure.tsx'
import { Link } from '../../ui/link.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Panel } from '../../ui/panel.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Status, type StatusState } from '../../ui/status.tsx'
import { Switch } from '../../ui/switch.tsx'
import { Time } from '../../ui/time.tsx'
import { printCount } from '../../util/amount.ts'
import { currentLanguage, heard, msg, t } from '../../words.ts'
import styles from './inspection.module.css'

type Engine = ReplyOf<typeof channels>
type Channel = Engine['channels'][number]
type Profile = ReplyOf<typeof inspectedProfiles.list>[number]
type Mark = readonly [state: StatusState, word: string]

const engineStates: Readonly<Record<Engine['state'], Mark>> = {
  off: ['inactive', msg('Nothing is inspected')],
  waiting: ['activating', msg('Waiting')],
  compiling: ['activating', msg('Making the first rules')],
  loading: ['reloading', msg('Loading the newest rules')],
  active: ['active', msg('Active')],
  failed: ['failed', msg('Failed')],
}

const profileStates: Readonly<Record<Profile['state'], Mark>> = {
  unused: ['inactive', msg('Not used')],
  waiting: ['stored', msg('Not inspected yet')],
  loading: ['reloading', msg('With its rules from before')],
  active: ['active', msg('In force')],
  failed: ['failed', msg('Not in force')],
}

const kinds: Readonly<Record<Profile['kind'], { readonly word: string; readonly path: string }>> = {
  ips: { word: msg('Intrusion prevention'), path: 'protection/intrusion-prevention/profiles' },
  application: { word: msg('Application control'), path: 'protection/applications/profiles' },
}

/** Named like the units in the system log. */
const moduleWord = (name: string): string => {
  if (name === 'suricata') return msg('Intrusion prevention')
  if (name.endsWith('-suricata-backend')) return msg('Signatures')
  return name === 'application-control' ? msg('Application control') : labelOf(name)
}

const everyMs = 5_000

function EnginePage(): ReactNode {
  const read = useRead(channels, { everyMs })
  const engine = read.data?.data
  const [state, word] = engine ? engineStates[engine.state] : (['unknown', ''] as const)
  return (
    <div className={styles.page}>
      <PageHead
        title={t('Inspection engine')}
        over={t('Inspection')}
        lead={t(
          'It looks into the connections of firewall rules that name a profile. Each profile is tested with real packets.',
        )}
        status={engine ? <Status state={state}>{t(word)}</Status> : undefined}
      />
      {read.error ? <ProblemBox failure={read.error} onRetry={() => void read.refetch()} /> : null}
      {engine && engine.message !== '' ? (
        <Bar tone={engine.state === 'failed' ? 'bad' : 'plain'}>
          <PlainText text={heard(engine.message)} limit={800} />
        </Bar>
      ) : null}
      {engine?.uninspected?.overrun ? (
        <Bar tone="bad">
          {t(
            'More packets come than the engine takes. Traffic that may pass without the engine passes by it for up to a minute, then it is tried again.',
          )}
        </Bar>
      ) : null}
      {engine ? <Figures engine={engine} /> : read.error ? null : <Skeleton lines={4} />}
      {engine?.uninspected ? <Uninspected uninspected={engine.uninspected} /> : null}
      <Profiles />
      {engine ? <ChannelTable engine={engine} /> : null}
      {engine && engine.failed.length > 0 ? <FailedSignatures engine={engine} /> : null}
      {engine ? <Counters counters={engine.counters} /> : null}
    </div>
  )
}

/** More of them are not listed. */
const mostFailed = 200

function Figures({ engine }: { readonly engine: Engine }): ReactNode {
  const { signatures, rules, channels: all, version, failed, refused, generation } = engine
  const inForce = all.filter(({ ready, in_force }) => ready && in_force !== null && in_force === generation)
  const language = currentLanguage()
  const count = (value: number | null): string => (value === null ? '–' : printCount(value, language))
  return (
    <Panel title={t('Now')}>
      <div className={styles.figures}>
        <Figure label={t('Signatures')} value={count(signatures)} />
        <Figure label={t('Rules of the engine')} value={count(rules)} />
        <Figure label={t('Channels in force')} value={`${inForce.length} / ${all.length}`} />
        <Figure label={t('Rules refused')} value={count(refused)} />
        <Figure
          label={t('Signatures left out')}
          value={`${count(failed.length)}${failed.length >= mostFailed ? '+' : ''}`}
        />
        <Figure label={t('Version')} value={version?.replace(/ RELEASE$/, '') ?? t('not installed')} />
      </div>
      <ModuleStates />
    </Panel>
  )
}

/** What the engine did not see. */
function Uninspected({ uninspected }: { readonly uninspected: NonNullable<Engine['uninspected']> }): ReactNode {
  const language = currentLanguage()
  const { passed, lost, lost_blocked } = uninspected
  return (
    <Panel title={t('Packets without inspection')}>
      <p className={styles.quiet}>
        {t(
          'Counted since the apply service started. Packets pass while the engine does not run or more come than it takes; they are lost when its queue is full.',
        )}
      </p>
      <div className={styles.figures}>
        <Figure label={t('Passed without inspection')} value={printCount(passed, language)} />
        <Figure label={t('Lost, of profiles that let pass')} value={printCount(lost, language)} />
        <Figure label={t('Lost, of profiles that block')} value={printCount(lost_blocked, language)} />
      </div>
    </Panel>
  )
}

/** What each of the two modules says of itself, in the words of the gateway. */
function ModuleStates(): ReactNode {
  const prevention = useRead(showStatus, { everyMs })
  const applications = useRead(applicationStatus, { everyMs })
  const items = [...(prevention.data?.data ?? []), ...(applications.data?.data ?? [])]
  return (
    <dl className={styles.facts}>
      {items.map((item) => (
        <div key={item.name} className={styles.fact}>
          <dt>{t(moduleWord(item.name))}</dt>
          <dd>
            <Status state={worstOf([item]) ?? 'unknown'} />{' '}
            <span lang="en">
              <PlainText text={item.msg.map(heard).join(' ')} limit={800} />
            </span>
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Profiles(): ReactNode {
  const read = useRead(inspectedProfiles.list, { everyMs })
  const profiles = read.data?.data
  return (
    <Panel title={t('Profiles')}>
      <p className={styles.quiet}>
        {t(
          'While the engine does not run, is too slow or has no memory, connections of a profile pass uninspected unless they are blocked here.',
        )}
      </p>
      {read.error ? <ProblemBox failure={read.error} onRetry={() => void read.refetch()} /> : null}
      {profiles === undefined ? null : profiles.length === 0 ? (
        <Empty title={t('There is no profile yet')} />
      ) : (
        <div className={styles.scroll}>
          <table className={styles.table}>
            <thead>
              <tr>
                <th scope="col">{t('Profile')}</th>
                <th scope="col">{t('Module')}</th>
                <th scope="col">{t('State')}</th>
                <th scope="col" className={styles.number}>
                  {t('Firewall rules')}
                </th>
                <th scope="col">{t('Block without the engine')}</th>
              </tr>
            </thead>
            <tbody>
              {profiles.map((profile) => (
                <ProfileRow key={profile.id} profile={profile} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  )
}

function ProfileRow({ profile }: { readonly profile: Profile }): ReactNode {
  const editing = useEditing('firewall')
  const [isPending, setPending] = useState(false)
  const [state, word] = profileStates[profile.state]
  const { word: kind, path } = kinds[profile.kind]
  const change = async (isBlocking: boolean): Promise<void> => {
    setPending(true)
    await applyNow({
      title: isBlocking
        ? t('Block the traffic of “{profile}” without the engine', { profile: profile.name })
        : t('Let the traffic of “{profile}” pass without the engine', { profile: profile.name }),
      calls: [
        {
          endpoint: inspectedProfiles.update,
          params: { profile_id: profile.id },
          body: { on_failure: isBlocking ? 'block' : 'pass' },
        },
      ],
      reads: [inspectedProfiles.list, channels],
    })
    setPending(false)
  }
  return (
    <tr>
      <td>
        <Link to={`${path}/${encodeURIComponent(profile.id)}`}>
          <PlainText text={profile.name} limit={80} />
        </Link>
      </td>
      <td>{t(kind)}</td>
      <td>
        <Status state={state}>{t(word)}</Status>
      </td>
      <td className={styles.number}>{profile.rules}</td>
      <td>
        <Switch
          isBare
          label={t('Block the traffic of “{profile}” without the engine', { profile: profile.name })}
          isOn={profile.on_failure === 'block'}
          isPending={isPending}
          isDisabled={!editing.isAllowed}
          why={editing.why}
          onChange={(isOn) => void change(isOn)}
        />
      </td>
    </tr>
  )
}

function ChannelTable({ engine }: { readonly engine: Engine }): ReactNode {
  return (
    <Panel title={t('Channels')}>
      <p className={styles.quiet}>{t('A channel is what is looked for in a connection: one pair of profiles.')}</p>
      {engine.channels.length === 0 ? (
        <Empty title={t('No firewall rule inspects anything')}>
          {t('Choose a profile in a firewall rule that accepts traffic, and turn its module on.')}
        </Empty>
      ) : (
        <div className={styles.scroll}>
          <table className={styles.table}>
            <thead>
              <tr>
                <th scope="col" className={styles.number}>
                  {t('Channel')}
                </th>
                <th scope="col">{t('Intrusion prevention')}</th>
                <th scope="col">{t('Application control')}</th>
                <th scope="col">{t('State')}</th>
                <th scope="col">{t('Last test')}</th>
                <th scope="col">{t('Without the engine')}</th>
              </tr>
            </thead>
            <tbody>
              {engine.channels.map((channel) => (
                <ChannelRow key={channel.number} channel={channel} generation={engine.generation} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  )
}

interface ChannelProps {
  readonly channel: Channel
  readonly generation: string | null
}

function markOf({ ready, in_force }: Channel, generation: string | null): Mark {
  if (!ready) return ['stored', msg('Not inspected yet')]
  if (in_force === null) return ['failed', msg('Not in force')]
  return in_force === generation ? ['active', msg('In force')] : ['reloading', msg('With its rules from before')]
}

function ChannelRow({ channel, generation }: ChannelProps): ReactNode {
  const [state, word] = markOf(channel, generation)
  const { number, ips_profile, application_profile, application_rule, last_test, message, on_failure } = channel
  return (
    <tr>
      <td className={styles.number}>{number}</td>
      <td>{ips_profile === null ? '–' : <PlainText text={ips_profile} limit={80} />}</td>
      <td>
        {application_profile === null ? null : <PlainText text={application_profile} limit={80} />}
        {application_rule === null ? null : t('rules from {rule} on', { rule: application_rule })}
        {application_profile === null && application_rule === null ? '–' : null}
      </td>
      <td>
        <Status state={state}>{t(word)}</Status>
        {message === '' ? null : (
          <div className={styles.quiet} lang="en">
            <PlainText text={heard(message)} limit={400} />
          </div>
        )}
      </td>
      <td>{last_test === null ? t('never') : <Time unix={last_test} />}</td>
      <td>{on_failure === 'block' ? t('blocked') : t('passes')}</td>
    </tr>
  )
}

function FailedSignatures({ engine: { failed } }: { readonly engine: Engine }): ReactNode {
  return (
    <Panel title={t('Signatures left out')}>
      <div className={styles.scroll}>
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">{t('SID')}</th>
              <th scope="col">{t('Name')}</th>
              <th scope="col">{t('Why')}</th>
            </tr>
          </thead>
          <tbody>
            {failed.map(({ sid, name, reason }) => (
              <tr key={`${sid} ${reason}`}>
                <td>
                  <Link to={`protection/intrusion-prevention/signatures/${sid}`}>{sid}</Link>
                </td>
                <td>{name === '' ? '–' : <PlainText text={name} limit={120} />}</td>
                <td lang="en">
                  <PlainText text={heard(reason)} limit={400} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  )
}

function Counters({ counters }: { readonly counters: Engine['counters'] }): ReactNode {
  const rows = Object.entries(counters)
  if (rows.length === 0) return null
  const language = currentLanguage()
  return (
    <Panel title={t('Counted since the start of the engine')}>
      <dl className={styles.counters}>
        {rows.map(([name, value]) => (
          <div key={name} className={styles.counter}>
            <dt className={styles.mono}>{name}</dt>
            <dd>{printCount(value, language)}</dd>
          </div>
        ))}
      </dl>
    </Panel>
  )
}

export const page: HandPage = { kind: 'hand', Component: EnginePage }
