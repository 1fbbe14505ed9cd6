// The mail relay as a whole: domains, mailboxes, limits, security.

import {
  advanced,
  general,
  mailState,
  security,
  serverAccess,
  showStatus,
  trustedNetworks,
} from '@gateway/server/contract/mail'
import { section, settingsPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = settingsPage({
  status: showStatus,
  sections: [
    section({ endpoints: mailState, fields: { enabled: { label: msg('Run the mail server') } } }),
    section({
      title: msg('Domains'),
      endpoints: general,
      fields: {
        mail_domain: { label: msg('Main domain') },
        mail_hostname: { label: msg('Host name') },
        mail_additional_domains: { label: msg('Further domains') },
        mail_relay_domains: { label: msg('Domains to relay') },
      },
    }),
    section({
      title: msg('Mailboxes'),
      endpoints: serverAccess,
      fields: {
        imap_enabled: { label: 'IMAP' },
        pop3_enabled: { label: 'POP3' },
        webmail_enabled: { label: msg('Web mail') },
      },
    }),
    section({
      title: msg('Limits and copies'),
      endpoints: advanced,
      fields: {
        mail_relay: { label: msg('Send through') },
        sender_bcc: { label: msg('Copies of what is sent') },
        recipient_bcc: { label: msg('Copies of what is received') },
        max_mailbox_size: { label: msg('Largest mailbox') },
        max_message_size: { label: msg('Largest message') },
        autoexpunge_days: { label: msg('Empty the trash after') },
      },
    }),
    section({
      title: msg('Security'),
      endpoints: security,
      fields: {
        smtpd_sasl_enabled: { label: msg('Sign-in of senders') },
        smtpd_tls_only_auth: { label: msg('Sign-in over TLS only') },
        dnsbl_enabled: { label: msg('DNS block lists') },
        greylisting_enabled: { label: msg('Greylisting') },
        secure_encryption: { label: msg('Only TLS 1.2 and newer') },
      },
    }),
    section({ endpoints: trustedNetworks, fields: { postfix_mynetworks: { label: msg('Trusted networks') } } }),
  ],
})
