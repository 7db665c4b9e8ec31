/** By which protocols git reaches the service, and where one of them is closed. */

export type GitProtocol = 'http' | 'ssh';

/** What an instance or a top-level group lets git in by. */
export type OpenProtocols = 'all' | GitProtocol;

/** Whether git comes in by a protocol; where nothing is known of it nobody is kept out. */
export const letsIn = (open: OpenProtocols | undefined, protocol: GitProtocol): boolean =>
  open === undefined || open === 'all' || open === protocol;
