// The portal where users sign in.

import { portalSettings, showPortalStatus, showProviders, updateProviders } from '@gateway/server/contract/portal'
import { section, settingsPage } from '../../contract/define.ts'
import { msg } from '../../words.ts'

export const page = settingsPage({
  status: showPortalStatus,
  sections: [
    section({
      endpoints: portalSettings,
      groups: [
        { title: msg('Portal'), fields: ['enabled', 'host', 'two_factor', 'language'] },
        { title: msg('Looks'), fields: ['title_en', 'text_en', 'title_ru', 'text_ru', 'accent_colour'] },
      ],
      fields: {
        enabled: { label: msg('Serve the personal portal') },
        two_factor: { label: msg('Second factor') },
        title_en: { label: msg('Heading in English') },
        text_en: { label: msg('Text in English'), widget: 'multiline' },
        title_ru: { label: msg('Heading in Russian') },
        text_ru: { label: msg('Text in Russian'), widget: 'multiline' },
      },
    }),
    section({
      title: msg('Providers of codes'),
      endpoints: { show: showProviders, update: updateProviders },
      fields: {
        smssvc: { label: msg('Text messages') },
        multifactor: { label: msg('Multifactor provider') },
        keys: { isHidden: true },
      },
    }),
  ],
})
