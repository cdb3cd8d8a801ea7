"""Rewrites find/replace of proofs.toml and text/becomes of faults.toml for a changed export."""
import re,sys
old_dir,new_dir,path,find_key,rep_key=sys.argv[1:6]
TOK=re.compile(r"\s+|[A-Za-z_$][\w$]*|\d+'[a-z]?[0-9a-fA-Fxz]+|\d+|===|!==|<=|>=|==|!=|&&|\|\||<<|>>|\+:|.",re.S)
def toks(s):
    out=[];pos=0
    for m in TOK.finditer(s):
        t=m.group()
        if not t.isspace(): out.append((t,m.start(),m.end()))
    return out
def norm(t):
    return {'&&':'&','||':'|','assign':'wire','!':'~'}.get(t,t)
def seq(s):
    # without parentheses
    return [(norm(t),a,b) for t,a,b in toks(s) if t not in '()']
import glob,os
def texts(d):
    return {os.path.basename(f):open(f).read() for f in glob.glob(d+'/*.v')}
old,new=texts(old_dir),texts(new_dir)
src=open(path).read()
cache={k:seq(v) for k,v in new.items()}
def tomlstr(s): return s.encode().decode('unicode_escape')
def enc(s): return s.replace('\\','\\\\').replace('"','\\"').replace('\n','\\n')
todo=0;done=0
lines=src.split('\n')
unit=None
i=0
while i<len(lines):
    m=re.match(r'unit = "(.*)"',lines[i])
    if m: unit=m.group(1)
    m=re.match(find_key+r' = "(.*)"$',lines[i])
    if m:
        find=tomlstr(m.group(1))
        f='bcu_%s.v'%unit if unit!='bcu' else 'bcu.v'
        if f in new:
            text=new[f]
            if text.count(find)!=1 or True:
                want=[t for t,_,_ in seq(find)]
                have=cache[f]; hits=[]
                names=[t for t,_,_ in have]
                n=len(want)
                for k in range(len(names)-n+1):
                    if names[k]==want[0] and names[k:k+n]==want: hits.append(k)
                if text.count(find)==1: pass
                elif len(hits)==1:
                    k=hits[0]; a=have[k][1]; b=have[k+n-1][2]
                    # keep parens balanced at the edges as in the original
                    lead=re.match(r'[(\s]*',find).group().count('(')
                    while lead and a>0 and text[a-1] in '(': a-=1; lead-=1
                    trail=len(find)-len(find.rstrip(');'))
                    e=b
                    while e<len(text) and text[e] in ');' and text[a:e+1].rstrip()!='' and (len(text[b:e+1])<=trail): e+=1
                    nf=text[a:e]
                    print('HIT',unit,'\n   ',find.replace('\n','\\n'),'\n   ',nf.replace('\n','\\n'), text.count(nf))
                    lines[i]='%s = "%s"'%(find_key,enc(nf)); done+=1
                    # replacement: map common tokens
                    for j in range(i+1,i+4):
                        r=re.match(rep_key+r' = "(.*)"$',lines[j])
                        if r:
                            rep=tomlstr(r.group(1))
                            # apply the textual change between find and rep to nf
                            import difflib
                            A,B=[t for t,_,_ in toks(find)],[t for t,_,_ in toks(rep)]
                            print('    rep',rep.replace('\n','\\n'))
                else:
                    print('MISS',unit,len(hits),find.replace('\n','\\n')); todo+=1
    i+=1
open(path,'w').write('\n'.join(lines)) if '--write' in sys.argv else None
print(done,'changed',todo,'to do')
