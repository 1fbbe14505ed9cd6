// The certificate authority that the proxy signs with: what it is, how clients get it, and how it is replaced.

import type { ReplyOf } from '@gateway/server/contract'
import { certificate } from '@gateway/server/contract/web-proxy'
import type { ReactNode } from 'react'
import { useRead } from '../../api/reads.ts'
import { action, type RenderProps } from '../../contract/define.ts'
import { ActionView } from '../../contract/render/action-view.tsx'
import { TextArea } from '../../contract/render/text-area.tsx'
import type { HandPage } from '../../page.ts'
import { Bar } from '../../ui/bar.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Field } from '../../ui/field.tsx'
import { FileDrop } from '../../ui/file-drop.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Panel } from '../../ui/panel.tsx'
import { PlainText } from '../../ui/plain-text.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { saveText } from '../../util/save-file.ts'
import { msg, t } from '../../words.ts'
import styles from './web-proxy.module.css'

type Authority = ReplyOf<typeof certificate.show>

const origins: Readonly<Record<Authority['origin'], string>> = {
  none: msg('None yet'),
  made: msg('Made by the gateway'),
  uploaded: msg('Uploaded'),
}

const upload = action({
  endpoint: certificate.upload,
  title: msg('Use your own authority'),
  text: msg('A certificate that may sign others, with its private key, both as PEM. The key stays on the gateway.'),
  button: msg('Upload an authority'),
  fields: {
    certificate: { render: (props) => <PemField {...props} label={t('Certificate')} /> },
    private_key: { render: (props) => <PemField {...props} label={t('Private key')} /> },
  },
  reads: [certificate.show],
})

const make = action({
  endpoint: certificate.make,
  title: msg('Make a new authority'),
  text: msg('For example when the key may have leaked. The present one is forgotten.'),
  button: msg('Make a new authority'),
  isDanger: true,
  confirm: msg(
    'Browsers show errors for decrypted and denied HTTPS sites until every client trusts the new authority.',
  ),
  reads: [certificate.show],
})

const largestPem = 65_536

/** Pasted or read from a file; it is only sent with the form. */
function PemField({
  value,
  isDisabled,
  problem,
  onChange,
  label,
}: RenderProps & { readonly label: string }): ReactNode {
  const read = async (file: File): Promise<void> => onChange((await file.slice(0, largestPem + 1).text()).trim())
  return (
    <div className={styles.pem}>
      <Field label={label} problem={problem} isRequired>
        {(ids) => (
          <TextArea
            {...ids}
            isCode
            isDisabled={isDisabled}
            value={typeof value === 'string' ? value : ''}
            onChange={onChange}
          />
        )}
      </Field>
      <FileDrop
        label={t('File: {name}', { name: label })}
        accept=".pem,.crt,.cer,.key"
        isDisabled={isDisabled}
        onFile={(file) => void read(file)}
      />
    </div>
  )
}

function AuthorityPage(): ReactNode {
  const read = useRead(certificate.show)
  const authority = read.data?.data
  return (
    <div className={styles.page}>
      <PageHead
        title={t('Certificate authority')}
        over={t('Web proxy')}
        lead={t('Clients must trust it, also without decryption: the page for a denied HTTPS site is signed with it.')}
      />
      {read.error ? <ProblemBox failure={read.error} onRetry={() => void read.refetch()} /> : null}
      {authority ? <AuthorityView authority={authority} /> : read.error ? null : <Skeleton lines={6} />}
      <ActionView action={upload} reads={[]} />
      <ActionView action={make} reads={[]} />
    </div>
  )
}

function AuthorityView({ authority }: { readonly authority: Authority }): ReactNode {
  const { origin, subject, fingerprint, not_before, not_after, certificate: pem, addresses } = authority
  if (origin === 'none') return <Bar tone="plain">{t('One is made when the filter is first switched on.')}</Bar>
  return (
    <>
      <Panel
        title={t('In use')}
        actions={
          <Button size="small" icon="export" onClick={() => saveText('ca.crt', pem, 'application/x-x509-ca-cert')}>
            {t('Download the certificate')}
          </Button>
        }
      >
        <Facts>
          <dt>{t('Origin')}</dt>
          <dd>{t(origins[origin])}</dd>
          <dt>{t('Subject')}</dt>
          <dd>
            <PlainText text={subject} limit={300} />
          </dd>
          <dt>{t('Fingerprint (SHA-256)')}</dt>
          <dd>
            <span className={styles.mono}>{fingerprint}</span>
            <CopyButton text={fingerprint} label={t('Copy the fingerprint')} />
          </dd>
          <dt>{t('Valid from')}</dt>
          <dd>
            <Time unix={not_before} isExact />
          </dd>
          <dt>{t('Valid until')}</dt>
          <dd>
            <Time unix={not_after} isExact />
          </dd>
        </Facts>
      </Panel>
      <Panel title={t('Where clients can download it')}>
        {addresses.length === 0 ? (
          <p className={styles.quiet}>{t('Nowhere: no local network has an address.')}</p>
        ) : (
          <ul className={styles.addresses}>
            {addresses.map((address) => (
              <li key={address}>
                <PlainText text={address} isMono limit={300} />
                <CopyButton text={address} label={t('Copy {address}', { address })} />
              </li>
            ))}
          </ul>
        )}
      </Panel>
    </>
  )
}

export const page: HandPage = { kind: 'hand', Component: AuthorityPage }
