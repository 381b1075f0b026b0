'use client';

import { type FormEvent, useState } from 'react';

export default function Page() {
  const [answer, setAnswer] = useState('');

  async function ask(event: FormEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const content = form.get('question');
    setAnswer('…');
    const response = await fetch('/api/agent', {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${form.get('token')}` },
      body: JSON.stringify({ messages: [{ role: 'user', content }] }),
    });
    setAnswer(response.ok ? (await response.json()).text : `The agent failed (${response.status}).`);
  }

  return (
    <form onSubmit={ask}>
      <input name="question" aria-label="Question" size={80} />
      <input name="token" aria-label="Token" type="password" placeholder="TGP_AGENT_TOKEN" />
      <button type="submit">Ask</button>
      <p>{answer}</p>
    </form>
  );
}
