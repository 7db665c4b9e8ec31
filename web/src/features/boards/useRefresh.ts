/** When the cards of a board are read again: once for all that happens in a moment, and never while a card is dragged or moved. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useEffectEvent, useRef } from 'react';
import type { Board } from '../../lib/boards.ts';
import { useTopics } from '../../lib/useLive.ts';
import type { BoardsInView } from './useBoards.ts';

/**
 * A move is told to the page that made it too, and of more than one topic: what comes within this time of the first word of
 * a change is one change.
 */
const gatherMilliseconds = 250;

interface Refreshed {
  readonly of: BoardsInView;
  readonly board: Board;
  /** Where changes of the cards are told. */
  readonly topics: readonly string[];
  /** Whether a card is being dragged. */
  readonly dragging: boolean;
}

export function useRefresh({ of, board, topics, dragging }: Refreshed) {
  const cache = useQueryClient();
  const columns = [...of.boards.key, board.id, 'column'];
  const moving = [...of.boards.key, board.id, 'move'];
  const timer = useRef(0);
  const held = useRef({ dragging, pressed: false, missed: false });
  const read = () => {
    timer.current = 0;
    held.current.missed = held.current.dragging || held.current.pressed;
    if (held.current.missed) return;
    // What is read before the last move would show it undone; its end asks again.
    if (cache.isMutating({ mutationKey: moving }) === 0) void cache.invalidateQueries({ queryKey: columns });
  };
  const again = () => {
    if (timer.current === 0) timer.current = window.setTimeout(read, gatherMilliseconds);
  };
  useEffect(() => () => window.clearTimeout(timer.current), []);
  const letGo = useEffectEvent(() => {
    if (held.current.missed) again();
  });
  useEffect(() => {
    held.current.dragging = dragging;
    if (!dragging) letGo();
  }, [dragging]);
  /**
   * The pointer is pressed on a card: cards that move meanwhile would take it away, and browsers give up a drag whose
   * beginning is no longer above its card.
   */
  const press = () => {
    held.current.pressed = true;
    if (cache.isFetching({ queryKey: columns }) > 0) {
      held.current.missed = true;
      void cache.cancelQueries({ queryKey: columns });
    }
    const ends = new AbortController();
    const release = () => {
      ends.abort();
      held.current.pressed = false;
      // The beginning of a drag ends the press, too.
      if (held.current.missed) again();
    };
    for (const end of ['pointerup', 'pointercancel']) window.addEventListener(end, release, { signal: ends.signal });
  };
  const own = of.cards === 'issues' ? `board:${board.id}` : `epic_board:${board.id}`;
  const list = of.boards.list().queryKey;
  useTopics([own, ...(of.cards === 'issues' ? [`${own}:cards`] : []), ...topics], [list, columns], (topic) => {
    // The lists of the board themselves; null: anything may have been missed.
    if (topic === null || topic === own) void cache.invalidateQueries({ queryKey: list });
    again();
  });
  return { again, moving, press };
}
