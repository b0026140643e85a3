"""Understanding by rules alone: many ways to ask the same, in three languages, typed with and without marks.

The words are this file's own; no rule was written for one of them alone. ``[x]`` and ``[y]`` stand for drugs, the other
signs are those of ``readings``.
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.steps.readings import FORMULARY, HOSPITAL, frame

ATTRIBUTES = """
bao_quan|Nên cất [x] ở đâu?
bao_quan|[x] hở nắp rồi dùng được mấy tuần?
bao_quan|có phải bỏ [x] vào ngăn mát tủ lạnh không
bao_quan|nhiet do bao quan [x]
bao_quan|Hạn dùng của [x] sau khi mở lọ
than_trong|Dùng [x] phải chú ý điều gì?
than_trong|Những lưu ý khi sử dụng [x]
than_trong|[x] cần cẩn trọng gì
than_trong|luu y khi dung [x]
than_trong|Khi kê đơn [x] cần thận trọng với đối tượng nào?
than_trong|dùng [x] có phải theo dõi men gan không
than_trong|[x] can phai than trong dieu gi
than_trong|Cảnh báo khi dùng [x]
chong_chi_dinh|[x] không dùng cho những ai?
chong_chi_dinh|Ai không nên uống [x]?
chong_chi_dinh|Trường hợp nào cấm dùng [x]?
chong_chi_dinh|ai khong duoc uong [x]
chong_chi_dinh|[x] cấm dùng khi nào
chong_chi_dinh|Những ai tuyệt đối không được dùng [x]?
chong_chi_dinh|Cho hỏi các chống chỉ định của thuốc [x] ạ
chong_chi_dinh|Khi nào thì không được uống [x]
chi_dinh|[x] được chỉ định khi nào?
chi_dinh|chi dinh cua [x]
chi_dinh|Khi nào cần dùng [x]?
chi_dinh|[x] dùng trong những trường hợp nào
chi_dinh|Chỉ định dùng thuốc [x]
lieu_luong|[x] mỗi ngày uống mấy viên?
lieu_luong|Một ngày uống mấy viên [x]?
lieu_luong|Người lớn uống bao nhiêu [x] một ngày?
lieu_luong|cách sử dụng [x]
lieu_luong|[x] uống lúc nào trong ngày?
lieu_luong|Liều tối đa của [x] là bao nhiêu?
lieu_luong|lieu khoi dau [x]
lieu_luong|[x] uống trước ăn hay sau ăn
lieu_luong|[x] ngày dùng mấy lần
lieu_luong|hướng dẫn sử dụng [x]
lieu_luong|Pha [x] như thế nào?
lieu_luong|Uống [x] mấy lần một ngày?
tac_dung_khong_mong_muon|[x] có gây rụng tóc không?
tac_dung_khong_mong_muon|Uống [x] có bị buồn ngủ không?
tac_dung_khong_mong_muon|[x] có hại thận không
tac_dung_khong_mong_muon|ADR của [x]
tac_dung_khong_mong_muon|phản ứng có hại của [x]
tac_dung_khong_mong_muon|uống [x] hay bị gì
tac_dung_khong_mong_muon|tac dung ngoai y cua [x]
tac_dung_khong_mong_muon|[x] gây ra những tác dụng phụ nào
tac_dung_khong_mong_muon|[x] có làm tăng cân không
tac_dung_khong_mong_muon|[x] có gây nghiện không
tac_dung_khong_mong_muon|tdp [x]
tuong_tac_thuoc|[x] tương tác với những thuốc nào?
tuong_tac_thuoc|[x] kị với thuốc gì
tuong_tac_thuoc|Uống [x] có được uống rượu không?
tuong_tac_thuoc|tuong tac thuoc cua [x]
tuong_tac_thuoc|Không nên uống [x] chung với gì?
duoc_luc_hoc|[x] hoạt động theo cơ chế nào?
duoc_luc_hoc|co che tac dung [x]
duoc_luc_hoc|[x] tác động lên cơ thể như thế nào
duoc_luc_hoc|Dược lực của [x]
duoc_dong_hoc|[x] được thải trừ qua đường nào?
duoc_dong_hoc|[x] hấp thu ra sao
duoc_dong_hoc|thoi gian ban thai [x]
duoc_dong_hoc|sinh khả dụng của [x]
duoc_dong_hoc|[x] chuyển hoá ở đâu
duoc_dong_hoc|Bao lâu thì [x] có tác dụng?
qua_lieu|Uống quá liều [x] phải làm sao?
qua_lieu|ngộ độc [x] xử trí thế nào
qua_lieu|qua lieu [x]
qua_lieu|Lỡ uống 10 viên [x] thì sao?
qua_lieu|Thuốc giải độc của [x] là gì
dang_thuoc|[x] có những hàm lượng nào?
dang_thuoc|[x] có dạng siro không
dang_thuoc|ham luong [x]
dang_thuoc|Các dạng bào chế của [x]
dang_thuoc|[x] có viên đặt không
ma_atc|mã ATC của [x]
loai_thuoc|[x] thuộc nhóm thuốc gì?
ten_thuong_mai|[x] có những biệt dược nào
tuong_ky|[x] tương kỵ với gì
huong_dan_xu_tri_adr|Cách xử trí tác dụng phụ của [x]
thoi_ky_mang_thai|[x] có dùng được cho phụ nữ mang thai không?
thoi_ky_cho_con_bu|Mẹ cho con bú dùng [x] được không
bao_quan|How do I store [x]?
bao_quan|Does [x] go in the fridge?
bao_quan|shelf life of [x] after opening
than_trong|What should I watch out for with [x]?
than_trong|[x] warnings
than_trong|Any precautions when taking [x]?
chong_chi_dinh|Who shouldn't take [x]?
chong_chi_dinh|When should [x] not be used?
chong_chi_dinh|contraindications for [x]
chong_chi_dinh|[x] contraindications
chi_dinh|When is [x] indicated?
chi_dinh|indications for [x]
lieu_luong|How many [x] tablets per day?
lieu_luong|What's the maximum dose of [x]?
lieu_luong|Should [x] be taken with food?
lieu_luong|How do I take [x]?
lieu_luong|[x] dosage for adults
tac_dung_khong_mong_muon|Does [x] make you drowsy?
tac_dung_khong_mong_muon|Can [x] cause hair loss?
tac_dung_khong_mong_muon|adverse reactions of [x]
tac_dung_khong_mong_muon|Is [x] bad for the kidneys?
tac_dung_khong_mong_muon|[x] side effects
tuong_tac_thuoc|Which drugs interact with [x]?
tuong_tac_thuoc|Can I drink wine with [x]?
duoc_luc_hoc|What is the mechanism of action of [x]?
duoc_luc_hoc|How does [x] work?
duoc_dong_hoc|How is [x] eliminated?
duoc_dong_hoc|[x] half-life
qua_lieu|What happens if I take too much [x]?
qua_lieu|[x] overdose treatment
dang_thuoc|In what strengths is [x] available?
dang_thuoc|dosage forms of [x]
bao_quan|Hoe bewaar ik [x]?
bao_quan|Moet [x] in de koelkast bewaard worden?
than_trong|Waar moet ik op letten als ik [x] gebruik?
than_trong|Voorzorgsmaatregelen bij [x]
chong_chi_dinh|Wanneer mag je [x] niet gebruiken?
chong_chi_dinh|Contra-indicaties van [x]?
chong_chi_dinh|Voor wie is [x] niet geschikt?
chi_dinh|Wat zijn de indicaties van [x]?
lieu_luong|Hoeveel [x] mag ik per dag nemen?
lieu_luong|Wat is de maximale dosis [x]?
lieu_luong|Hoe moet [x] ingenomen worden?
lieu_luong|Moet ik [x] voor of na het eten innemen?
tac_dung_khong_mong_muon|Krijg je van [x] slaapproblemen?
tac_dung_khong_mong_muon|Wat zijn de bijwerkingen van [x]?
tac_dung_khong_mong_muon|Is [x] slecht voor de maag?
tuong_tac_thuoc|Met welke middelen heeft [x] een wisselwerking?
tuong_tac_thuoc|Mag je alcohol drinken bij [x]?
duoc_luc_hoc|Hoe werkt [x]?
duoc_luc_hoc|werkingsmechanisme van [x]
duoc_dong_hoc|Wat is de halfwaardetijd van [x]?
qua_lieu|Wat bij een overdosis [x]?
dang_thuoc|Welke sterktes van [x] zijn er?
duoc_luc_hoc|Cho biết cơ chế hoạt động của [x]
duoc_dong_hoc|[x] đào thải qua thận hay gan?
duoc_dong_hoc|[x] gắn protein huyết tương bao nhiêu phần trăm?
bao_quan|Nhiệt độ bảo quản [x] là bao nhiêu?
bao_quan|[x] để ngoài tủ lạnh có sao không
bao_quan|[x] bị hết hạn có dùng được không
qua_lieu|Uống nhầm [x] quá nhiều thì làm thế nào?
qua_lieu|Trẻ nuốt phải cả lọ [x], xử trí?
qua_lieu|trieu chung ngo doc [x]
dang_thuoc|[x] 500mg có dạng gói bột không?
dang_thuoc|Có bao nhiêu hàm lượng [x]?
tac_dung_khong_mong_muon|Phản ứng bất lợi khi dùng [x]
tac_dung_khong_mong_muon|Uống [x] bị nổi mẩn là sao?
tac_dung_khong_mong_muon|[x] có làm hại gan không?
tac_dung_khong_mong_muon|dung [x] lau dai co hai gi khong
tac_dung_khong_mong_muon|[x] có gây mất ngủ hay không
tuong_tac_thuoc|[x] dùng đồng thời với thuốc nào thì nguy hiểm?
tuong_tac_thuoc|Thuốc nào làm giảm tác dụng của [x]?
tuong_tac_thuoc|[x] co tuong tac voi ruou khong
chong_chi_dinh|Đối tượng nào không được dùng [x]?
chong_chi_dinh|[x] chống chỉ định cho bệnh nhân nào?
chong_chi_dinh|Liệt kê chống chỉ định của [x]
chong_chi_dinh|nhung ai khong nen dung [x]
than_trong|Thận trọng khi sử dụng [x] là gì?
than_trong|Khi sử dụng [x] cần phải lưu ý những gì?
than_trong|[x] nên thận trọng ở những bệnh nhân nào
than_trong|can luu y gi khi uong [x]
chi_dinh|[x] chỉ định trong bệnh nào?
chi_dinh|Các chỉ định của [x] là gì?
lieu_luong|Liều người lớn của [x]
lieu_luong|[x] uống mỗi ngày mấy viên là đủ
lieu_luong|Dùng [x] bao lâu thì ngưng?
lieu_luong|[x] uống buổi sáng hay buổi tối?
lieu_luong|xịt [x] mấy nhát một lần
lieu_luong|[x] có được uống lúc bụng đói không
lieu_luong|lieu toi da cua [x] trong ngay
tac_dung_khong_mong_muon|Is [x] addictive?
tac_dung_khong_mong_muon|Can [x] damage the liver?
tac_dung_khong_mong_muon|What are common adverse effects with [x]?
duoc_dong_hoc|How long does [x] stay in the body?
bao_quan|What temperature should [x] be kept at?
chong_chi_dinh|Who must not use [x]?
chong_chi_dinh|Is [x] contraindicated in asthma?
than_trong|What cautions apply to [x]?
dang_thuoc|Which strengths does [x] come in?
lieu_luong|Recommended dose of [x]?
lieu_luong|When is the best time to take [x]?
qua_lieu|Accidentally took a double dose of [x]
chi_dinh|What is [x] indicated for?
qua_lieu|Wat gebeurt er bij een overdosis [x]?
bao_quan|Waar moet ik [x] bewaren?
bao_quan|Mag [x] in de diepvries?
duoc_dong_hoc|Hoe lang blijft [x] in het lichaam?
tac_dung_khong_mong_muon|Welke nevenwerkingen heeft [x]?
tac_dung_khong_mong_muon|Kan [x] de nieren schaden?
chong_chi_dinh|Wanneer is [x] tegenaangewezen?
chong_chi_dinh|Wie mag [x] niet gebruiken?
lieu_luong|Welke dosis [x] voor volwassenen?
lieu_luong|Hoe dikwijls per dag neem ik [x]?
dang_thuoc|In welke vormen bestaat [x]?
than_trong|Waarvoor moet ik oppassen met [x]?
duoc_dong_hoc|Hoe wordt [x] uitgescheiden?
"""

TURN_TYPES = """
drug_overview|[x]
drug_overview|Thuốc [x]
drug_overview|[x] là thuốc gì vậy?
drug_overview|Cho em hỏi thông tin thuốc [x]
drug_overview|[x] la gi
drug_overview|Giới thiệu về [x]
drug_overview|tìm hiểu thuốc [x]
drug_overview|What is [x]?
drug_overview|Give me an overview of [x]
drug_overview|Wat is [x]?
drug_overview|Info over [x]
drug_to_condition|[x] chữa bệnh gì?
drug_to_condition|[x] dùng để làm gì?
drug_to_condition|Công dụng của [x]
drug_to_condition|[x] tri benh gi
drug_to_condition|thuốc [x] dùng cho bệnh gì
drug_to_condition|[x] có tác dụng gì vậy bác sĩ
drug_to_condition|Uống [x] để làm gì?
drug_to_condition|[x] điều trị những bệnh nào?
drug_to_condition|What is [x] used for?
drug_to_condition|What does [x] treat?
drug_to_condition|Waarvoor wordt [x] gebruikt?
drug_to_condition|Waarvoor dient [x]?
interaction|[x] với [y] có kỵ nhau không?
interaction|[x] và [y] uống chung được không
interaction|Có được dùng [x] cùng với [y] không?
interaction|dung chung [x] va [y] duoc khong
interaction|Phối hợp [x] và [y] có sao không?
interaction|Đang uống [x], uống thêm [y] được không?
interaction|[x] + [y] tương tác
interaction|uống [x] cùng lúc với [y]
interaction|Does [x] interact with [y]?
interaction|Can [x] and [y] be taken together?
interaction|Is it safe to combine [x] and [y]?
interaction|I take [x]. Can I also use [y]?
interaction|Mag ik [x] combineren met [y]?
interaction|Kan je [x] en [y] samen nemen?
interaction|Wisselwerking tussen [x] en [y]
symptom_to_drug|{*Sổ mũi} thì dùng thuốc nào?
symptom_to_drug|Bị {*đau bụng} nên uống gì?
symptom_to_drug|Tôi hay bị {*chóng mặt}, có thuốc nào trị không?
symptom_to_drug|be bi {*sot} uong thuoc gi
symptom_to_drug|Thuốc giảm {*đau lưng}
symptom_to_drug|{*Ho} có đờm uống thuốc gì cho hết?
symptom_to_drug|What can I take for {*nausea}?
symptom_to_drug|Which medicine helps against {*itching}?
drug_attribute|Thuốc trị {gút} có hại thận không?
drug_attribute|Does medicine for {gout} cause hair loss?
drug_attribute|Is medicatie tegen {jicht} schadelijk voor de nieren?
dosing_calc|liều [x] cho bé nặng 12
dosing_calc|Hoeveel [x] voor mijn zoon, hij weegt 14
symptom_to_drug|Wat kan ik nemen tegen {*misselijkheid}?
symptom_to_drug|Welk medicijn helpt bij {*jeuk}?
condition_to_drug|{Viêm khớp dạng thấp} điều trị bằng thuốc gì?
condition_to_drug|Thuốc nào trị {gút}?
condition_to_drug|Người bị {hen} dùng thuốc gì?
condition_to_drug|{lao phoi} dung thuoc nao
condition_to_drug|Các thuốc điều trị {động kinh}
condition_to_drug|{Suy giáp} thì uống thuốc gì?
condition_to_drug|Tôi bị {trào ngược}, nên dùng thuốc nào?
condition_to_drug|{Loãng xương} nên chọn thuốc nào?
condition_to_drug|Which drugs treat {epilepsy}?
condition_to_drug|What medicines are used for {asthma}?
condition_to_drug|medicine for {gout}
condition_to_drug|Welke medicijnen gebruikt men bij {jicht}?
condition_to_drug|Hoe wordt {epilepsie} behandeld?
condition_relation|Thuốc nào gây {*buồn nôn}?
condition_relation|Những thuốc nào có thể gây {suy thận}?
condition_relation|Thuốc gì làm {*tăng cân}?
condition_relation|thuoc nao gay {*ho}
condition_relation|Thuốc nào không nên dùng khi bị {hen}?
condition_relation|Các thuốc chống chỉ định ở người {suy gan}
condition_relation|Bị {loét dạ dày} phải tránh thuốc gì?
condition_relation|{*Phù chân} là do thuốc nào gây ra?
condition_relation|Which medicines cause {*dizziness}?
condition_relation|What drugs should be avoided in {asthma}?
condition_relation|Which drugs can cause {gout}?
condition_relation|Welke geneesmiddelen geven {*duizeligheid}?
condition_relation|Welke medicijnen mag je niet nemen bij {astma}?
dosing_calc|Bé 14kg uống [x] liều bao nhiêu?
dosing_calc|Tính liều [x] cho trẻ 9 kg
dosing_calc|Trẻ 5 tuổi uống [x] liều bao nhiêu?
dosing_calc|be 12 kg uong may ml [x]
dosing_calc|con em nặng 16 ký thì cho uống bao nhiêu [x]
dosing_calc|Liều [x] cho bệnh nhân 60 kg
dosing_calc|Dose of [x] for a 15 kg child
dosing_calc|My son weighs 22 kg, how much [x] can he have?
dosing_calc|Hoeveel [x] mag een kind van 18 kg?
dosing_calc|Dosering [x] voor een kind van 4 jaar
drug_attribute|Bé 2 tuổi dùng [x] được không?
drug_attribute|[x] có dùng cho trẻ sơ sinh được không
smalltalk|Chào bạn
smalltalk|Cảm ơn bác sĩ nhiều ạ
smalltalk|ok cảm ơn
smalltalk|Chào buổi sáng
smalltalk|Hẹn gặp lại
smalltalk|Hi there
smalltalk|Thanks a lot!
smalltalk|Good morning
smalltalk|Bedankt voor de hulp
smalltalk|Hallo
smalltalk|Tot ziens
out_of_scope|Giá xăng hôm nay?
out_of_scope|Ai là tổng thống Mỹ?
out_of_scope|Kể chuyện cười đi
out_of_scope|Who won the match yesterday?
out_of_scope|Wat is de hoofdstad van Spanje?
out_of_scope|Đặt vé máy bay đi Đà Nẵng
drug_to_condition|[x] trị được bệnh gì?
drug_to_condition|Người ta dùng [x] để chữa gì?
drug_to_condition|[x] co tac dung gi
drug_to_condition|What conditions is [x] used for?
drug_to_condition|Waartegen helpt [x]?
drug_to_condition|Wat doet [x]?
drug_overview|Bạn có thông tin gì về [x] không?
drug_overview|Tóm tắt về thuốc [x]
drug_overview|Can you tell me about [x]?
drug_overview|Vertel me meer over [x]
drug_overview|[x] thuoc gi vay
interaction|Dùng [x] chung [y] có nguy hiểm không?
interaction|[x] với [y] có phản ứng gì không khi dùng chung
interaction|Is it dangerous to mix [x] and [y]?
interaction|Gaan [x] en [y] samen?
interaction|co nen uong [x] va [y] cung luc
interaction|[x] và [y] có tương kỵ khi dùng cùng nhau không
condition_to_drug|{Viêm gan B} thì dùng thuốc gì điều trị?
condition_to_drug|Cho hỏi thuốc điều trị {tăng huyết áp}
condition_to_drug|Bác sĩ thường kê thuốc gì cho {hen}?
condition_to_drug|thuoc chua {gut} la thuoc gi
condition_to_drug|What is the first-line drug for {hypertension}?
condition_to_drug|Best medicine for {gout}?
condition_to_drug|Welk geneesmiddel bij {hypertensie}?
symptom_to_drug|Đang bị {*ho}, uống gì cho đỡ?
symptom_to_drug|{*Tiêu chảy} uống thuốc nào
symptom_to_drug|{*dau rang} thi uong thuoc gi
symptom_to_drug|My {*head hurts}, what should I take?
symptom_to_drug|Iets tegen {*hoest}?
condition_relation|Thuốc nào dễ gây {*đau đầu}?
condition_relation|Thuốc nào cấm dùng cho người {suy thận}?
condition_relation|Loại thuốc nào có thể dẫn đến {suy gan}?
condition_relation|nhung thuoc nao chong chi dinh cho nguoi {hen}
condition_relation|What medications can trigger {gout}?
condition_relation|Drugs contraindicated in {heart failure}
condition_relation|Welke medicijnen mogen niet bij {nierfalen}?
condition_relation|Van welke medicijnen krijg je {*hoest}?
dosing_calc|Cho tôi tính liều [x] với bé 8kg
dosing_calc|Bé 16kg thì [x] bao nhiêu mg/lần?
dosing_calc|[x] dose for 25 kg boy
dosing_calc|Hoeveel mg [x] voor een kind van 12 kilo?
dosing_calc|Người 65 ký tiêm [x] mấy đơn vị?
smalltalk|Doei
smalltalk|Tot later
smalltalk|Merci
smalltalk|Good evening
smalltalk|Chúc bác sĩ ngày mới vui vẻ
smalltalk|Cám ơn ạ
smalltalk|Dạ em cảm ơn
smalltalk|bye bye
smalltalk|xin chao
smalltalk|cam on ban
smalltalk|Hey
smalltalk|thank you so much
smalltalk|Bedankt!
smalltalk|Goeiemorgen
smalltalk|chào ad
smalltalk|hi bác sĩ
smalltalk|Tạm biệt bạn
smalltalk|Chúc ngủ ngon
out_of_scope|Kết quả xổ số hôm nay
out_of_scope|Tỷ giá đô la bao nhiêu?
out_of_scope|Cách nấu phở bò
out_of_scope|Lịch chiếu phim tối nay
out_of_scope|What's the weather today?
out_of_scope|Wie is de koning van België?
out_of_scope|Dịch câu này sang tiếng Anh
out_of_scope|1 + 1 bằng mấy?
out_of_scope|Who painted the Mona Lisa?
out_of_scope|Recept voor pannenkoeken
out_of_scope|Mấy giờ rồi?
out_of_scope|Mua iPhone ở đâu rẻ?
out_of_scope|Bao giờ có điểm thi đại học?
out_of_scope|How far is the moon?
out_of_scope|Đường đi Hà Nội - Sài Gòn bao nhiêu km?
out_of_scope|thoi tiet hom nay the nao
out_of_scope|ai vo dich world cup
out_of_scope|Hoe laat vertrekt de trein?
out_of_scope|Quần áo giặt thế nào cho sạch?
out_of_scope|Xe máy chạy hao xăng phải làm sao?
"""

HOSPITAL_TURN_TYPES = """
condition_info|Wat is {reuma}?
condition_info|{reuma}
condition_info|Wat zijn de symptomen van {artrose}?
condition_info|Is {reuma} erfelijk?
condition_info|Meer info over {migraine}
condition_info|Wat betekent {hypertensie}?
condition_info|Hoe wordt {jicht} behandeld?
condition_info|Kun je genezen van {epilepsie}?
condition_info|What is {arthritis}?
condition_info|Is {gout} dangerous?
condition_info|Ik wil graag uitleg over {glaucoom}
procedure_info|Hoe lang duurt een {!gastroscopie}?
procedure_info|Wat is een {!colonoscopie}?
procedure_info|Moet ik nuchter zijn voor een {!gastroscopie}?
procedure_info|Hoe bereid ik me voor op een {!coloscopie}?
procedure_info|Doet een {!ruggenprik} pijn?
procedure_info|How does a {!gastroscopy} work?
procedure_info|Ik krijg een {!knieprothese}, wat mag ik verwachten?
department_lookup|Welke afdeling is er voor {reuma}?
department_lookup|Bij welke arts moet ik zijn met {artrose}?
department_lookup|Naar welke dienst moet ik met {*rugpijn}?
department_lookup|Waar kan ik terecht voor een {!hartfilmpje}?
department_lookup|Bij wie moet ik zijn voor {spataders}?
department_lookup|Waar vind ik de dienst {@Cardiologie}?
department_lookup|Behandelt {@Neurologie} ook {migraine}?
department_lookup|Which department treats {gout}?
department_lookup|Where should I go with {*back pain}?
department_lookup|Wie behandelt {diabetes} bij jullie?
doctor_lookup|Welke dokters behandelen {diabetes}?
doctor_lookup|Wie zijn de artsen van {@Cardiologie}?
doctor_lookup|Lijst van alle artsen op {@Urologie}
doctor_lookup|Wie is {&Dr. A. Peeters}?
doctor_lookup|Werkt {&dokter Peeters} hier nog?
doctor_lookup|Alle specialisten voor {migraine}
doctor_lookup|Which doctors work at {@Cardiologie}?
doctor_lookup|Welke cardiologen werken er?
doctor_lookup|Geef een overzicht van de dokters van {@Neurologie}
practical_info|Tot hoe laat mag ik op bezoek komen?
practical_info|Waar kan ik parkeren?
practical_info|Wat kost een eenpersoonskamer?
practical_info|Kan ik mijn afspraak online verzetten?
practical_info|Is er wifi in het ziekenhuis?
practical_info|What are the visiting hours?
practical_info|How can I pay my bill?
practical_info|Wat moet ik meebrengen bij een opname?
practical_info|Hoe bereik ik het ziekenhuis met de bus?
practical_info|Wat is het telefoonnummer van het onthaal?
practical_info|Mag ik bloemen meebrengen?
smalltalk|Dag!
smalltalk|Hartelijk bedankt
smalltalk|Goedenavond
smalltalk|Hello
symptom_routing|Ik heb last van {*hoofdpijn}
symptom_routing|Mijn zoon heeft {*koorts} en {*hoest}
symptom_routing|I have {*chest pain}
symptom_routing|Ik heb al weken {*duizeligheid}
out_of_scope|Wie wint de Ronde van Vlaanderen?
out_of_scope|Schrijf een gedicht over de lente
practical_info|Tot wanneer kan ik mijn vader bezoeken?
practical_info|Hoe laat is het bezoekuur op pediatrie?
practical_info|Is er een bushalte bij het ziekenhuis?
practical_info|Kan ik mijn rekening in schijven betalen?
practical_info|Ik wil mijn afspraak afzeggen
practical_info|Waar is de cafetaria?
practical_info|Mag mijn partner blijven slapen?
practical_info|Hoe kan ik mijn dossier inkijken?
practical_info|Wat zijn de openingsuren van het labo?
practical_info|Hoeveel kost een tweepersoonskamer?
practical_info|Hebben jullie rolstoelen?
practical_info|Ik zoek het e-mailadres van de ombudsdienst
practical_info|Moet ik mijn identiteitskaart meebrengen?
practical_info|Wordt een consultatie terugbetaald?
practical_info|Hoe vraag ik een attest aan?
practical_info|Is er een geldautomaat?
practical_info|Kan ik betalen met bancontact?
practical_info|Werken er vrijwilligers in het ziekenhuis?
practical_info|How do I get to the hospital by train?
practical_info|Can I pay by card?
practical_info|Where is the cafeteria?
doctor_lookup|Welke neurologen werken bij jullie?
doctor_lookup|Toon me de artsen van de dienst {@Orthopedie}
doctor_lookup|Hebben jullie een lijst met alle gynaecologen?
doctor_lookup|Welke specialisten opereren {spataders}?
doctor_lookup|Wie zijn de cardiologen?
doctor_lookup|Welke dokter is gespecialiseerd in {migraine}?
doctor_lookup|Is {&dr. Janssens} vandaag aanwezig?
doctor_lookup|Ik zoek een afspraak bij {&dokter Janssens}
doctor_lookup|Hoeveel chirurgen werken er op {@Vaatheelkunde}?
doctor_lookup|List all doctors of {@Cardiologie}
doctor_lookup|Which surgeons do a {!knee replacement}?
department_lookup|Op welke dienst word ik opgenomen met een {!heupprothese}?
department_lookup|Waar laat ik mijn {!bloedonderzoek} doen?
department_lookup|Naar wie moet ik met {*oorsuizen}?
department_lookup|Hebben jullie een afdeling voor {epilepsie}?
department_lookup|Waar word ik geholpen met {*hevige buikpijn}?
department_lookup|Bij welke specialist moet ik zijn voor {acne}?
department_lookup|Wie kan mij helpen met {slaapapneu}?
department_lookup|Doet {@Radiologie} ook {!mammografie}?
department_lookup|Who should I see for {gallstones}?
department_lookup|Do you treat {epilepsy}?
condition_info|Hoe krijg je {jicht}?
condition_info|Wat kan ik doen tegen {artrose}?
condition_info|Welke behandelingen bestaan er voor {reuma}?
condition_info|Kan {diabetes} genezen?
condition_info|Is {griep} besmettelijk?
condition_info|Wat is het verschil tussen {artrose} en {reuma}?
condition_info|Hebben jullie een brochure over {osteoporose}?
condition_info|Hoe gevaarlijk is een {longembolie}?
condition_info|What are the symptoms of {diabetes}?
condition_info|Tell me about {migraine}
condition_info|{Ziekte van Parkinson}
procedure_info|Hoe verloopt het herstel na een {!heupprothese}?
procedure_info|Wat moet ik weten over een {!keizersnede}?
procedure_info|Is een {!gastroscopie} pijnlijk?
procedure_info|Wanneer mag ik naar huis na een {!galblaasoperatie}?
procedure_info|Welke verdoving krijg ik bij een {!knieprothese}?
procedure_info|What happens during a {!colonoscopy}?
procedure_info|{!ruggenprik}
symptom_routing|Ik heb sinds gisteren {*hoge koorts}
symptom_routing|Mijn moeder klaagt over {*duizeligheid}
symptom_routing|Ik voel {*hartkloppingen}
symptom_routing|Mijn kind heeft {*oorpijn}
symptom_routing|Ik word wakker met {*hoofdpijn}
symptom_routing|My daughter has {*a rash}
smalltalk|Goedemiddag
smalltalk|Dank u wel voor de info
smalltalk|Tot ziens en bedankt
smalltalk|hey
smalltalk|Good evening
smalltalk|Hoe gaat het met u?
out_of_scope|Wat is de hoofdstad van Frankrijk?
out_of_scope|Hoeveel is 12 maal 12?
out_of_scope|Schrijf een liedje over de zomer
out_of_scope|Wie won de Tour de France?
out_of_scope|Mijn kat is ziek
out_of_scope|What is the best phone to buy?
"""


def cases(text: str) -> list[tuple[str, str]]:
    return [(key, words) for key, _, words in (line.partition("|") for line in text.strip().splitlines())]


def named(words: str) -> str:
    return words.replace("[x]", "[losartan]").replace("[y]", "[digoxin]")


@pytest.mark.parametrize(("attribute", "words"), cases(ATTRIBUTES))
def test_attribute(attribute: str, words: str) -> None:
    found = frame(named(words))
    assert found.attribute == attribute
    assert found.drugs == ("losartan",)


@pytest.mark.parametrize(("turn_type", "words"), cases(TURN_TYPES))
def test_turn_type(turn_type: str, words: str) -> None:
    assert frame(named(words)).turn_type == turn_type


@pytest.mark.parametrize(("turn_type", "words"), cases(HOSPITAL_TURN_TYPES))
def test_turn_type_of_a_hospital(turn_type: str, words: str) -> None:
    assert frame(words, where=HOSPITAL).turn_type == turn_type


def test_what_the_rules_cannot_tell_is_not_understood() -> None:
    found = frame("Bonjour le monde, quelle belle journée")
    assert found.turn_type == "out_of_scope"
    assert found.needs_clarify
    assert found.clarify_reason == "not_understood"
    assert found.system_error is None
    assert found.understood_by == "rules"


@pytest.mark.parametrize("where", [FORMULARY, HOSPITAL], ids=["formulary", "hospital"])
@given(text=st.text(max_size=80).filter(lambda t: not set(t) & set("[]{}")))
def test_any_text(where: object, text: str) -> None:
    found = frame(text, where=where)
    assert found.drugs == ()
    assert len(found.quick_replies) <= 4


@pytest.mark.parametrize(
    ("text", "population"),
    [
        ("I'm still nursing my baby, can I take [domperidone]?", "cho_con_bu"),
        ("I am breastfeeding my newborn, is [domperidone] ok?", "cho_con_bu"),
        ("Ik geef mijn zoontje de borst, mag ik [domperidon]?", "cho_con_bu"),
        ("Em đang cho bé bú, uống [domperidon] được không?", "cho_con_bu"),
        ("Our twins are 6.5 kg each, how much [paracetamol]?", "tre_em"),
        ("Hoeveel [paracetamol] voor onze tweeling?", "tre_em"),
        ("Bé bú mẹ 6 tháng uống [paracetamol] được không?", "tre_em"),
    ],
)
def test_the_child_whom_a_mother_feeds_is_not_the_patient(text: str, population: str) -> None:
    assert frame(text, where=FORMULARY).population == population


@pytest.mark.parametrize(
    ("text", "attribute"),
    [
        ("Chồng em hỏi khi nào về. Xin hỏi [bisacodyl] có tác dụng phụ gì?", "tac_dung_khong_mong_muon"),
        ("We asked how much time it takes. Then: side effects of [bisacodyl]?", "tac_dung_khong_mong_muon"),
        ("Liều [bisacodyl] là bao nhiêu? Khi nào về thì em uống.", "lieu_luong"),
    ],
)
def test_a_story_asks_in_the_sentence_that_names_the_drug(text: str, attribute: str) -> None:
    assert frame(text, where=FORMULARY).attribute == attribute


@pytest.mark.parametrize(
    ("text", "current"),
    [
        ("Mag hij naast zijn [losartan] ook [ibuprofen]?", ["losartan"]),
        ("Mag ik naast mijn [losartan] en [digoxine] ook [ibuprofen]?", ["losartan", "digoxine"]),
        ("Can she have [ibuprofen] on top of her [losartan]?", ["losartan"]),
        ("On top of her [losartan] could she have [ibuprofen]?", ["losartan"]),
    ],
)
def test_what_a_medicine_is_taken_beside_is_taken(text: str, current: list[str]) -> None:
    assert [e.text for e in frame(text, where=FORMULARY).patient_context.current_medications] == current
