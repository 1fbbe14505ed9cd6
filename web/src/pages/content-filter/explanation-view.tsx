// The answer of explain: the verdict in a sentence, what was found about the address, and every stage with its rule and those before it.

import type { ReplyOf } from '@gateway/server/contract'
import type { explainRequest } from '@gateway/server/contract/content-filter'
import { type ReactNode, useState } from 'react'
import { Bar } from '../../ui/bar.tsx'
import { Button } from '../../ui/button.tsx'
import { Chip } from '../../ui/chip.tsx'
import { Icon } from '../../ui/icon.tsx'
import type { IconName } from '../../ui/icons.ts'
import { Link } from '../../ui/link.tsx'
import { Panel } from '../../ui/panel.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { heard, msg, t } from '../../words.ts'
import styles from './content-filter.module.css'
import { FoundCategories } from './found-categories.tsx'

export type Explanation = ReplyOf<typeof explainRequest>
type Stage = Explanation['stages'][number]

const verdicts: Readonly<Record<Explanation['verdict'], readonly [icon: IconName, word: string]>> = {
  allow: ['accept', msg('Allowed')],
  deny: ['drop', msg('Denied')],
  redirect: ['right', msg('Redirected')],
  depends: ['split', msg('Depends on the type of the reply')],
  not_filtered: ['skip', msg('Not filtered')],
}

const stageWords: Readonly<Record<Stage['stage'], string>> = {
  interception: msg('Interception'),
  tls: msg('TLS connection'),
  request: msg('Request'),
  reply: msg('Reply'),
  firewall: msg('Firewall'),
}

const stageVerdicts: Readonly<Record<Stage['verdict'], string>> = {
  splice: msg('passed without decryption'),
  bump: msg('decrypted'),
  allow: msg('allowed'),
  deny: msg('denied'),
  redirect: msg('redirected'),
  wait: msg('decided by the reply'),
  not_filtered: msg('not filtered'),
}

/** What the proxy takes is not allowed yet. */
const verdictOf = ({ stage, verdict }: Stage): string =>
  stage === 'interception' && verdict === 'allow' ? msg('taken by the proxy') : stageVerdicts[verdict]

const fieldWords: Readonly<Record<Stage['passed'][number]['field'], string>> = {
  aliases: msg('Users and addresses'),
  categories: msg('Categories'),
  http_methods: msg('HTTP methods'),
  content_types: msg('Content types'),
  timetable: msg('When'),
  access: msg('Action'),
}

const ruleLink = (id: number): string => `protection/web-filter/rules/${id}`

interface ExplanationViewProps {
  readonly explanation: Explanation
  readonly url: string
}

export function ExplanationView({ explanation, url }: ExplanationViewProps): ReactNode {
  const { verdict, rule, decrypted, user, redirect_url, categories, stages, notes } = explanation
  const [icon, word] = verdicts[verdict]
  return (
    <>
      <div className={styles.verdict} data-verdict={verdict}>
        <span className={styles.word}>
          <Icon name={icon} size={20} />
          {t(word)}
        </span>
        <span className={styles.by}>
          {rule === null ? (
            t('no rule decides')
          ) : (
            <>
              {t('by the rule')}{' '}
              <Link to={ruleLink(rule.id)}>
                <PlainText text={rule.name} limit={120} />
              </Link>
            </>
          )}
        </span>
        <Chip>{decrypted ? t('HTTPS is decrypted') : t('Not decrypted')}</Chip>
        {user === null ? (
          <Chip>{t('No user is known')}</Chip>
        ) : (
          <Chip to={`people/users/${encodeURIComponent(user.id)}`}>
            <PlainText text={`${user.name} (${user.login})`} limit={80} />
          </Chip>
        )}
      </div>
      {redirect_url === null ? null : (
        <p>
          {t('Redirected to')} <PlainText text={redirect_url} isMono limit={500} />
        </p>
      )}
      {notes.map((note) => (
        <Bar key={note} tone="plain">
          <PlainText text={heard(note)} limit={600} />
        </Bar>
      ))}
      <Panel
        title={t('Categories')}
        actions={
          <Link to="protection/web-filter/lookup" search={{ url }}>
            {t('Look up')}
          </Link>
        }
      >
        <FoundCategories found={categories} />
      </Panel>
      {stages.map((stage) => (
        <StageView key={stage.stage} stage={stage} />
      ))}
    </>
  )
}

const shownAtFirst = 8

/** Nearest first: the rule right before the decision is the one people ask about. */
function StageView({ stage }: { readonly stage: Stage }): ReactNode {
  const [isAll, setAll] = useState(false)
  const { rule, text, passed, passed_count } = stage
  const nearest = passed.toReversed()
  const shown = isAll ? nearest : nearest.slice(0, shownAtFirst)
  return (
    <Panel title={`${t(stageWords[stage.stage])}: ${t(verdictOf(stage))}`}>
      <div className={styles.stage}>
        <p>
          <PlainText text={heard(text)} limit={600} />{' '}
          {rule === null ? null : (
            <Link to={ruleLink(rule.id)}>
              <PlainText text={rule.name} limit={120} />
            </Link>
          )}
        </p>
        {passed_count === 0 ? null : (
          <>
            <p className={styles.quiet}>
              {t('{count, plural, one {# rule was passed} other {# rules were passed}}', { count: passed_count })}
            </p>
            <ol className={styles.passed}>
              {shown.map(({ id, name, field, reason }) => (
                <li key={id}>
                  <Link to={ruleLink(id)}>
                    <PlainText text={name} limit={80} />
                  </Link>
                  <span>
                    {t(fieldWords[field])}: <PlainText text={heard(reason)} limit={400} />
                  </span>
                </li>
              ))}
            </ol>
            {nearest.length > shown.length ? (
              <div>
                <Button kind="quiet" size="small" onClick={() => setAll(true)}>
                  {t('Show {count} more', { count: nearest.length - shown.length })}
                </Button>
              </div>
            ) : null}
          </>
        )}
      </div>
    </Panel>
  )
}
