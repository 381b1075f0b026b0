import { spawn } from 'node:child_process';

/**
 * Answers a request with the real `git http-backend`.
 * @param {string} projectRoot
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 */
export function gitHttpBackend(projectRoot, request, response) {
  const { pathname, search } = new URL(request.url ?? '/', 'http://localhost');
  const child = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: projectRoot,
      GIT_HTTP_EXPORT_ALL: '1',
      REMOTE_USER: 'user',
      REQUEST_METHOD: request.method,
      PATH_INFO: decodeURIComponent(pathname),
      QUERY_STRING: search.slice(1),
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      CONTENT_LENGTH: request.headers['content-length'] ?? '',
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  request.pipe(child.stdin).on('error', () => {});
  let head = Buffer.alloc(0);
  child.stdout.on('data', function onData(chunk) {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf('\r\n\r\n');
    if (end === -1) return;
    child.stdout.off('data', onData);
    const headers = Object.fromEntries(
      head
        .subarray(0, end)
        .toString()
        .split('\r\n')
        .map((line) => line.split(/: (.*)/s).slice(0, 2)),
    );
    const status = Number.parseInt(headers.Status ?? '200', 10);
    delete headers.Status;
    response.writeHead(status, headers);
    response.write(head.subarray(end + 4));
    child.stdout.pipe(response);
  });
  child.on('close', () => response.headersSent || response.writeHead(500).end());
}
