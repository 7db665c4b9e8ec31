/** What the server and its spawner say to each other. */

export type ToSpawner =
  | {
      readonly kind: 'start';
      readonly id: number;
      /** Where the server waits for the streams. */
      readonly socket: string;
      readonly program: string;
      readonly args: string[];
      readonly env: Record<string, string>;
      /** Whether the process reads its input. */
      readonly input: boolean;
    }
  | { readonly kind: 'kill'; readonly id: number; readonly signal: NodeJS.Signals };

export type FromSpawner =
  | { readonly kind: 'ready' }
  | { readonly kind: 'failed'; readonly id: number; readonly message: string }
  | {
      readonly kind: 'ended';
      readonly id: number;
      readonly code: number | null;
      readonly signal: NodeJS.Signals | null;
    };
