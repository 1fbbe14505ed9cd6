// Every sentence of the portal, in its languages. A type demands each in each.

import {
  longestPassword,
  type PasswordWeakness,
  type PortalRefusal,
  type SecondFactor,
  shortestPassword,
} from '../engines/portal/protocol.ts'
import type { PortalLanguage } from '../engines/portal/settings-file.ts'

interface Notice {
  readonly title: string
  readonly text: string
}

export interface Texts {
  readonly languageName: string
  readonly title: string
  readonly intro: string
  readonly introPersonal: string
  readonly signIn: string
  readonly signInAsOther: string
  readonly login: string
  readonly password: string
  readonly signOut: string
  readonly signedInAs: string
  readonly connected: string
  readonly connectedText: string
  readonly notConnected: string
  readonly notConnectedText: string
  readonly notEnforced: string
  readonly open: string
  readonly wanted: string
  readonly wantedLater: string
  readonly personalPage: string
  readonly sessions: string
  readonly sessionsNone: string
  readonly address: string
  readonly type: string
  readonly state: string
  readonly since: string
  readonly action: string
  readonly thisDevice: string
  readonly endSession: string
  readonly sessionTypes: Readonly<Record<string, string>>
  readonly sessionStates: Readonly<Record<string, string>>
  readonly secondFactor: string
  readonly factors: Readonly<Record<SecondFactor, string>>
  readonly enrol: string
  readonly enrolText: string
  readonly enrolSecret: string
  readonly qrTitle: string
  readonly code: string
  readonly confirm: string
  readonly cancel: string
  readonly changePassword: string
  readonly currentPassword: string
  readonly newPassword: string
  readonly repeatPassword: string
  readonly passwordChanged: string
  readonly passwordRule: string
  readonly weaknesses: Readonly<Record<PasswordWeakness, string>>
  readonly back: string
  readonly retryIn: (seconds: number) => string
  readonly refusals: Readonly<Record<PortalRefusal, Notice>>
  readonly faults: Readonly<Record<PortalFault, Notice>>
}

/** What goes wrong on the way, not a decision about the user. */
export type PortalFault =
  | 'notFound'
  | 'method'
  | 'away'
  | 'busy'
  | 'tooMany'
  | 'oldForm'
  | 'malformed'
  | 'empty'
  | 'mismatch'
  | 'internal'

const english: Texts = {
  languageName: 'English',
  title: 'Internet access',
  intro: 'Sign in to use the internet on this network.',
  introPersonal: 'Sign in to see your sessions and change your password.',
  signIn: 'Sign in',
  signInAsOther: 'Sign in as another user',
  login: 'Login',
  password: 'Password',
  signOut: 'Sign out',
  signedInAs: 'User',
  connected: 'You are connected',
  connectedText: 'This device can reach the internet.',
  notConnected: 'This device is not connected',
  notConnectedText: 'Sign in again to reach the internet from this device.',
  notEnforced: 'No sign-in is needed to reach the internet on this network.',
  open: 'Open',
  wanted: 'The page you asked for:',
  wantedLater: 'After the sign-in you can open:',
  personalPage: 'Personal page',
  sessions: 'Your sessions',
  sessionsNone: 'You have no sessions.',
  address: 'Address',
  type: 'Recognised by',
  state: 'State',
  since: 'Since',
  action: 'Action',
  thisDevice: 'this device',
  endSession: 'End',
  sessionTypes: { ip: 'IP address', mac: 'MAC address', ip_mac: 'IP and MAC address', net: 'Subnet', web: 'Sign-in' },
  sessionStates: { connected: 'Connected', over_limit: 'Waits: too many sessions' },
  secondFactor: 'Second step',
  factors: {
    totp: 'Enter the code that your authenticator application shows.',
    smssvc: 'Enter the code from the text message that was sent to you.',
    multifactor: 'Confirm the sign-in as your provider asks you to, then enter the code.',
  },
  enrol: 'Set up your authenticator application',
  enrolText: 'Scan this picture with the application, or type the key by hand. Then enter the code that it shows.',
  enrolSecret: 'Key',
  qrTitle: 'QR code with the key for your authenticator application',
  code: 'Code',
  confirm: 'Confirm',
  cancel: 'Back to the sign-in',
  changePassword: 'Change password',
  currentPassword: 'Current password',
  newPassword: 'New password',
  repeatPassword: 'New password again',
  passwordChanged: 'Your password was changed.',
  passwordRule: `At least ${shortestPassword} characters. Your other sign-ins end.`,
  weaknesses: {
    short: `It must have at least ${shortestPassword} characters.`,
    long: `It must have at most ${longestPassword} characters.`,
    same: 'It must differ from the current one.',
    guessable: 'It is too common, or contains the login, the product name or the host name.',
  },
  back: 'Back',
  retryIn: (seconds) =>
    seconds < 90
      ? `Try again in ${count(seconds, 'second')}.`
      : `Try again in ${count(Math.ceil(seconds / 60), 'minute')}.`,
  refusals: {
    wrong: { title: 'Sign-in failed', text: 'The login, the password or the code is wrong.' },
    denied: { title: 'Access is denied', text: 'An administrator has denied access to this user.' },
    blocked: {
      title: 'Sign-in is blocked',
      text: 'There were too many failed sign-ins from this device.',
    },
    closed: {
      title: 'The account is locked',
      text: 'There were too many failed sign-ins to this account. Ask an administrator.',
    },
    busy: { title: 'Too many users sign in now', text: 'Wait a moment and try again.' },
    taken: {
      title: 'This device belongs to another user',
      text: 'The administrator has signed this device in for someone else at all times. Ask the administrator.',
    },
    over_limit: {
      title: 'Too many sessions',
      text: 'You are signed in on more devices than allowed, and this one has to wait. End another session, or sign out on another device.',
    },
    no_second_factor: {
      title: 'The second step is not available',
      text: 'The code cannot be asked for or checked now. Try again later or ask an administrator.',
    },
    weak: { title: 'The new password is not accepted', text: 'Choose another password.' },
    expired: { title: 'The sign-in has expired', text: 'It took too long or was ended elsewhere. Sign in again.' },
  },
  faults: {
    notFound: { title: 'Page not found', text: 'There is no such page here.' },
    method: { title: 'Not possible', text: 'This page cannot be used in this way.' },
    away: {
      title: 'The gateway is not available',
      text: 'The portal cannot ask the gateway now. This usually takes a few seconds.',
    },
    busy: { title: 'The portal is busy', text: 'Many devices ask at the same time. Try again in a moment.' },
    tooMany: { title: 'Too many requests', text: 'This device asks too often. Try again in a moment.' },
    oldForm: { title: 'The form is out of date', text: 'Nothing was changed. Fill in the form again.' },
    malformed: { title: 'The form cannot be read', text: 'Nothing was changed. Fill in the form again.' },
    empty: { title: 'Something is missing', text: 'Fill in all fields.' },
    mismatch: { title: 'The passwords differ', text: 'Enter the same new password twice.' },
    internal: { title: 'Something went wrong', text: 'The portal could not do this. Try again.' },
  },
}

const count = (value: number, noun: string): string => `${value} ${noun}${value === 1 ? '' : 's'}`

const russian: Texts = {
  languageName: 'Русский',
  title: 'Доступ в интернет',
  intro: 'Войдите, чтобы пользоваться интернетом в этой сети.',
  introPersonal: 'Войдите, чтобы увидеть свои сессии и сменить пароль.',
  signIn: 'Войти',
  signInAsOther: 'Войти под другой учётной записью',
  login: 'Логин',
  password: 'Пароль',
  signOut: 'Выйти',
  signedInAs: 'Пользователь',
  connected: 'Вы подключены',
  connectedText: 'Это устройство имеет доступ в интернет.',
  notConnected: 'Устройство не подключено',
  notConnectedText: 'Войдите снова, чтобы получить доступ в интернет с этого устройства.',
  notEnforced: 'В этой сети для доступа в интернет вход не требуется.',
  open: 'Открыть',
  wanted: 'Страница, которую вы запрашивали:',
  wantedLater: 'После входа можно будет открыть:',
  personalPage: 'Личный кабинет',
  sessions: 'Ваши сессии',
  sessionsNone: 'У вас нет сессий.',
  address: 'Адрес',
  type: 'Способ авторизации',
  state: 'Состояние',
  since: 'Начало',
  action: 'Действие',
  thisDevice: 'это устройство',
  endSession: 'Завершить',
  sessionTypes: { ip: 'IP-адрес', mac: 'MAC-адрес', ip_mac: 'IP- и MAC-адрес', net: 'Подсеть', web: 'Вход через веб' },
  sessionStates: { connected: 'Подключена', over_limit: 'Ожидает: слишком много сессий' },
  secondFactor: 'Второй шаг',
  factors: {
    totp: 'Введите код, который показывает приложение-аутентификатор.',
    smssvc: 'Введите код из отправленного вам сообщения.',
    multifactor: 'Подтвердите вход так, как просит ваш провайдер, затем введите код.',
  },
  enrol: 'Настройте приложение-аутентификатор',
  enrolText:
    'Отсканируйте это изображение в приложении или введите ключ вручную. Затем введите код, который оно покажет.',
  enrolSecret: 'Ключ',
  qrTitle: 'QR-код с ключом для приложения-аутентификатора',
  code: 'Код',
  confirm: 'Подтвердить',
  cancel: 'Вернуться ко входу',
  changePassword: 'Сменить пароль',
  currentPassword: 'Текущий пароль',
  newPassword: 'Новый пароль',
  repeatPassword: 'Новый пароль ещё раз',
  passwordChanged: 'Пароль изменён.',
  passwordRule: `Не короче ${shortestPassword} символов. Остальные ваши входы завершатся.`,
  weaknesses: {
    short: `Нужно не менее ${shortestPassword} символов.`,
    long: `Допустимо не более ${longestPassword} символов.`,
    same: 'Он должен отличаться от текущего.',
    guessable: 'Он слишком распространён либо содержит логин, название продукта или имя узла.',
  },
  back: 'Назад',
  retryIn: (seconds) =>
    seconds < 90 ? `Повторите через ${seconds} с.` : `Повторите через ${Math.ceil(seconds / 60)} мин.`,
  refusals: {
    wrong: { title: 'Войти не удалось', text: 'Неверный логин, пароль или код.' },
    denied: { title: 'Доступ запрещён', text: 'Администратор запретил доступ этому пользователю.' },
    blocked: { title: 'Вход заблокирован', text: 'С этого устройства было слишком много неудачных попыток входа.' },
    closed: {
      title: 'Учётная запись заблокирована',
      text: 'Было слишком много неудачных попыток входа. Обратитесь к администратору.',
    },
    busy: { title: 'Сейчас входит слишком много пользователей', text: 'Подождите немного и повторите попытку.' },
    taken: {
      title: 'Это устройство закреплено за другим пользователем',
      text: 'Администратор сделал так, что оно всегда авторизовано от его имени. Обратитесь к администратору.',
    },
    over_limit: {
      title: 'Слишком много сессий',
      text: 'Вы вошли на большем числе устройств, чем разрешено, и это устройство ожидает. Завершите другую сессию или выйдите на другом устройстве.',
    },
    no_second_factor: {
      title: 'Второй шаг недоступен',
      text: 'Сейчас нельзя запросить или проверить код. Повторите позже или обратитесь к администратору.',
    },
    weak: { title: 'Новый пароль не принят', text: 'Выберите другой пароль.' },
    expired: {
      title: 'Время входа истекло',
      text: 'Вход занял слишком много времени или был завершён в другом месте. Войдите снова.',
    },
  },
  faults: {
    notFound: { title: 'Страница не найдена', text: 'Здесь нет такой страницы.' },
    method: { title: 'Недоступно', text: 'Эту страницу нельзя использовать таким образом.' },
    away: {
      title: 'Шлюз недоступен',
      text: 'Портал сейчас не может обратиться к шлюзу. Обычно это длится несколько секунд.',
    },
    busy: { title: 'Портал занят', text: 'Сейчас обращается много устройств. Повторите попытку через минуту.' },
    tooMany: {
      title: 'Слишком много запросов',
      text: 'Это устройство обращается слишком часто. Повторите чуть позже.',
    },
    oldForm: { title: 'Форма устарела', text: 'Ничего не изменено. Заполните форму ещё раз.' },
    malformed: { title: 'Форму не удалось прочитать', text: 'Ничего не изменено. Заполните форму ещё раз.' },
    empty: { title: 'Заполнены не все поля', text: 'Заполните все поля.' },
    mismatch: { title: 'Пароли не совпадают', text: 'Введите новый пароль дважды одинаково.' },
    internal: { title: 'Что-то пошло не так', text: 'Портал не смог это сделать. Повторите попытку.' },
  },
}

export const texts: Readonly<Record<PortalLanguage, Texts>> = { en: english, ru: russian }
