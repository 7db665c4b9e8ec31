/** Requests to chat services: each takes one message in its own form. */
import { channelFields, type IntegrationEvent } from '../definitions.ts';
import { entriesOf, type IntegrationValues } from '../settings.ts';
import { type ChatMessage, rendered } from './message.ts';

interface ChatRequest {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

const json = { 'Content-Type': 'application/json' } as const;
const text = (values: IntegrationValues, name: string): string => {
  const value = values[name];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
};
const post = (url: string, body: object): ChatRequest => ({ url, body: JSON.stringify(body), headers: json });
const joined = ({ sentence, details }: { sentence: string; details: string }) =>
  details === '' ? sentence : `${sentence}\n${details}`;

/** The channel of an event; what is confidential goes where the rest of its kind goes, unless it has one of its own. */
function channelOf(values: IntegrationValues, event: string): string {
  const fields = [event, event.replace(/^confidential_/, '')].flatMap(
    (name) => channelFields[name as IntegrationEvent] ?? [],
  );
  return fields.map((field) => text(values, field)).find(Boolean) ?? text(values, 'channel');
}

/** One for each channel. */
function attachment(values: IntegrationValues, event: string, message: ChatMessage): ChatRequest[] {
  const { sentence, details } = rendered(message, 'slack');
  const channels: readonly (string | null)[] = [...new Set(entriesOf(channelOf(values, event)))];
  return (channels.length === 0 ? [null] : channels).map((channel) =>
    post(text(values, 'webhook'), {
      text: sentence,
      ...(channel === null ? {} : { channel }),
      ...(text(values, 'username') === '' ? {} : { username: text(values, 'username') }),
      ...(details === '' ? {} : { attachments: [{ color: message.color, text: details, fallback: details }] }),
    }),
  );
}

type Service = (values: IntegrationValues, event: string, message: ChatMessage) => readonly ChatRequest[];

export const chatServices: Readonly<Record<string, Service>> = {
  slack: attachment,
  mattermost: attachment,
  discord: (values, event, message) => [
    post(channelOf(values, event) || text(values, 'webhook'), {
      embeds: [
        { color: Number.parseInt(message.color.slice(1), 16), description: joined(rendered(message, 'markdown')) },
      ],
      // Nobody is called by what people write.
      allowed_mentions: { parse: [] },
    }),
  ],
  'microsoft-teams': (values, _event, message) => {
    const { sentence, details } = rendered(message, 'markdown');
    return [
      post(text(values, 'webhook'), {
        '@type': 'MessageCard',
        '@context': 'https://schema.org/extensions',
        themeColor: message.color.slice(1),
        summary: rendered(message, 'plain').sentence,
        text: sentence,
        ...(details === '' ? {} : { sections: [{ text: details.replaceAll('\n', '\n\n') }] }),
      }),
    ];
  },
  telegram: (values, _event, message) => [
    post(
      `${(text(values, 'hostname') || 'https://api.telegram.org').replace(/\/+$/, '')}/bot${text(values, 'token')}/sendMessage`,
      {
        chat_id: text(values, 'room'),
        text: joined(rendered(message, 'html')),
        parse_mode: 'HTML',
        ...(text(values, 'thread') === '' ? {} : { message_thread_id: Number(text(values, 'thread')) }),
      },
    ),
  ],
  'hangouts-chat': (values, _event, message) => [
    post(text(values, 'webhook'), { text: joined(rendered(message, 'slack')) }),
  ],
  pumble: (values, _event, message) => [post(text(values, 'webhook'), { text: joined(rendered(message, 'plain')) })],
  'webex-teams': (values, _event, message) => [
    post(text(values, 'webhook'), { markdown: joined(rendered(message, 'markdown')).replaceAll('\n', '  \n') }),
  ],
  'unify-circuit': (values, _event, message) => [
    post(text(values, 'webhook'), {
      subject: rendered(message, 'plain').sentence,
      text: joined(rendered(message, 'markdown')),
      markdown: true,
    }),
  ],
  pushover: (values, _event, message) => {
    const { sentence, details } = rendered(message, 'plain');
    const link = message.parts.find((part) => typeof part !== 'string' && part.url !== '');
    const priority = text(values, 'priority');
    const form = new URLSearchParams({
      token: text(values, 'api_key'),
      user: text(values, 'user_key'),
      priority,
      title: sentence.slice(0, 250),
      message: (details || sentence).slice(0, 1024),
      ...(typeof link === 'object' ? { url: link.url, url_title: link.text } : {}),
      ...(text(values, 'device') === '' ? {} : { device: text(values, 'device') }),
      ...(text(values, 'sound') === '' ? {} : { sound: text(values, 'sound') }),
      // What an emergency has to say: how often and how long.
      ...(priority === '2' ? { retry: '60', expire: '3600' } : {}),
    });
    return [
      {
        url: 'https://api.pushover.net/1/messages.json',
        body: String(form),
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      },
    ];
  },
};
