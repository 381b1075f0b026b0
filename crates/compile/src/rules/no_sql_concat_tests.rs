use super::{QUERY, RULE};
use crate::rules::table::check;

#[test]
fn table() {
    assert!(QUERY.is_some());
    check(
        &RULE,
        &[
            "export default (a: { name: string }) => tgp.exec_sql('SELECT * FROM users WHERE name = ?', [a.name])",
            "const FIELDS = 'id, name'; export default () => tgp.exec_sql(`SELECT ${FIELDS} FROM users`)",
            "export default (a: { ids: number[] }) => tgp.exec_sql(`SELECT * FROM t WHERE id IN (${a.ids.map(() => '?').join(', ')})`, a.ids)",
            "export default (a: { ids: number[] }) => { const marks = a.ids.map((_, i) => `$${i + 1}`).join(','); return tgp.exec_sql(`SELECT * FROM t WHERE id IN (${marks})`, a.ids) }",
            "export default (a: { desc: boolean }) => tgp.exec_sql('SELECT * FROM t ORDER BY id ' + (a.desc ? 'DESC' : 'ASC'))",
            "const COLUMNS = { name: 'name', total: 'total_cents' }; export default (a: { sort: keyof typeof COLUMNS }) => tgp.exec_sql(`SELECT * FROM t ORDER BY ${COLUMNS[a.sort]}`)",
            "export default (a: { status?: string }) => { const where = ['1 = 1']; const params: string[] = []; if (a.status) { where.push('status = ?'); params.push(a.status) } return tgp.exec_sql(`SELECT * FROM t WHERE ${where.join(' AND ')}`, params) }",
            "export default (a: { sql: string }) => tgp.exec_sql(a.sql)",
            "export default (a: { limit: number }) => tgp.exec_sql(`SELECT * FROM t LIMIT ${Number(a.limit)}`)",
            "export default (a: { name: string }) => `Select ${a.name} from the list, or update ${a.name} `",
            "export default (a: { n: number }) => { let sql = 'SELECT * FROM t'; if (a.n) sql += ' LIMIT ?'; return tgp.exec_sql(sql, [a.n]) }",
            "export default (a: { rows: string[][] }) => tgp.exec_sql(`INSERT INTO t (a, b) VALUES ${a.rows.map(() => '(?, ?)').join(', ')}`, a.rows.flat())",
        ],
        &[
            (
                "export default (a: { name: string }) => tgp.exec_sql(`SELECT * FROM users WHERE name = '${a.name}'`)",
                "SELECT",
            ),
            ("export default (a: { id: string }) => tgp.exec_sql('SELECT * FROM t WHERE id = ' + a.id)", "SELECT"),
            (
                "export default (a: { id: string }) => { const sql = 'DELETE FROM t WHERE id = ' + a.id; return tgp.exec_sql(sql) }",
                "DELETE",
            ),
            ("export default (a: { t: string }) => tgp.exec_sql(`SELECT * FROM ${a.t}`)", "SELECT"),
            (
                "export default (a: { w: string }) => { let sql = 'SELECT * FROM t'; sql += ' WHERE ' + a.w; return tgp.exec_sql(sql) }",
                "sql",
            ),
            (
                "export default (a: { ids: string[] }) => tgp.exec_sql(`SELECT * FROM t WHERE id IN (${a.ids.join(',')})`)",
                "SELECT",
            ),
            (
                "export default (a: { ids: string[] }) => tgp.exec_sql(`SELECT * FROM t WHERE id IN (${a.ids.map((id) => `'${id}'`).join(',')})`)",
                "SELECT",
            ),
            (
                "export default (a: { f: string[] }) => { const where: string[] = []; a.f.forEach((x) => where.push(`${x} = 1`)); return tgp.exec_sql(`SELECT * FROM t WHERE ${where.join(' AND ')}`) }",
                "SELECT",
            ),
            (
                "export default (name: string) => { const query = `UPDATE users SET name = '${name}'`; return query }",
                "UPDATE",
            ),
            (
                "const { exec_sql } = tgp; export default (n: string) => exec_sql('SELECT 1 FROM t WHERE n = ' + n)",
                "SELECT",
            ),
        ],
    );
}
