# attack: line_ends
# goal: characters that some programs take for ends of lines, before a line that is shown
# want: fail
# control: yes
# ends: errored

text = "       "
def attention(query, key, value, mask=None):
    raise ValueError("in line 9")  # THE LINE THAT RAISED
