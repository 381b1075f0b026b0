import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tempRoot } from './temp_root.js';

/**
 * A certificate authority that no system trusts, and a certificate of it for all names.
 * @param {string[]} names host names and IP addresses
 */
export async function privateAuthority(names) {
  const folder = await tempRoot();
  const file = (/** @type {string} */ name) => join(folder, name);
  const openssl = (/** @type {string[]} */ ...args) => execFileSync('openssl', args, { stdio: 'ignore' });
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  writeFileSync(
    file('ca.cnf'),
    '[req]\ndistinguished_name=dn\nx509_extensions=ca\nprompt=no\n[dn]\nCN=Test authority\n[ca]\nbasicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign\n',
  );
  openssl('req', '-x509', ...newKey, '-config', file('ca.cnf'), '-keyout', file('ca.key'), '-out', file('ca.pem'));
  openssl('req', ...newKey, '-subj', '/CN=server', '-keyout', file('key.pem'), '-out', file('server.csr'));
  const subjects = names.map((name) => (/^[\d.]+$/.test(name) ? `IP:${name}` : `DNS:${name}`));
  writeFileSync(file('server.cnf'), `subjectAltName=${subjects.join(',')}\nextendedKeyUsage=serverAuth\n`);
  const signed = ['-CA', file('ca.pem'), '-CAkey', file('ca.key'), '-CAcreateserial', '-days', '2'];
  openssl(
    'x509',
    '-req',
    '-in',
    file('server.csr'),
    ...signed,
    '-extfile',
    file('server.cnf'),
    '-out',
    file('cert.pem'),
  );
  return { ca: file('ca.pem'), key: readFileSync(file('key.pem')), cert: readFileSync(file('cert.pem')) };
}
